/** Schemas of the fields that the operations of snapshots share. */
import { z } from "zod";
import * as fields from "./fields.ts";

/** It stands in a file's name, which no dot and no dash begins. */
export function isSnapshotName(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(text);
}

export const snapshotName = z
  .string()
  .refine(isSnapshotName, {
    error:
      "expected 1 to 100 letters, digits, dots, underscores and dashes, the first of them no dot and no dash",
  })
  .describe("the snapshot's name: up to 100 letters, digits, dots, underscores and dashes");

export const keep = z
  .enum(["memory", "folder"])
  .describe("memory: until the daemon ends; folder: in the data folder, under snapshots");

export const snapshot = z.object({
  name: z.string(),
  keep,
  entries: fields.count.describe("how much had happened: requests, answers and events"),
  time_ms: z.int().describe("what the clock said"),
});

export const listedSnapshot = snapshot.partial({ entries: true, time_ms: true }).extend({
  problem: z
    .string()
    .optional()
    .describe("why it cannot be read; it then has neither entries nor time_ms, and can only be deleted"),
});

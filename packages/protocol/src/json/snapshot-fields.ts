/** Schemas of the fields that the operations of snapshots share. */
import { z } from "zod";
import * as fields from "./fields.ts";

/** It stands in a file's name. */
export const snapshotName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/)
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

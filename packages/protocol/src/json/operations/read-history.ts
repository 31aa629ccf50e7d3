import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

/** What one answer holds of it. */
const BYTES_MAX = 1024 * 1024;

export const readHistory = operation({
  name: "read_history",
  summary:
    "Shows what the cluster began with, what came to it and what it did, as lines of a trace (docs/traces.md). With a manual clock only.",
  request: () => ({
    from: fields.count.default(0).describe("the first line, from 0"),
    max_bytes: z.int().min(1).max(BYTES_MAX).default(BYTES_MAX).describe("of lines; one is always shown"),
  }),
  response: () =>
    z.object({
      life: z
        .int()
        .describe("rises when a snapshot is loaded: then what was read before may not have happened"),
      lines: z.array(z.string()).describe("each a JSON object"),
      next: fields.count.describe("where to go on"),
      end: fields.count.describe("how many lines there are"),
      ended: z
        .boolean()
        .describe(
          "more has happened than is kept (history_max_bytes), or the disk has failed: what comes next is missing",
        ),
      disk_error: z
        .string()
        .optional()
        .describe(
          "how the disk has failed, by no armed fault: it ended the history, since no replay meets it",
        ),
    }),
});

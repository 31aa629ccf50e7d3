/** The setting of the HTTP port, a part of the table in settings-table.ts. */
import { z } from "zod";

export const httpSettings = {
  http_port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe(
      "where metrics, health, the state of everything and events are told over HTTP, which changes nothing; 0 picks a free one (default: nowhere)",
    ),
};

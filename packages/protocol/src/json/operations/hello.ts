import { z } from "zod";
import { operation } from "../operation.ts";

/** Optional: a bare session works without it. */
export const hello = operation({
  name: "hello",
  summary: "Says who answers: name, version, cluster, mode and the operations on offer.",
  request: () => ({}),
  response: () =>
    z.object({
      name: z.string(),
      version: z.string(),
      protocol_version: z.int(),
      cluster_id: z.string(),
      broker_ids: z.array(z.int()),
      mode: z
        .enum(["auto", "manual"])
        .describe("whether time and background work go by themselves or by stepping"),
      seed: z.int().nullable().describe("what chance is drawn from in manual mode; null in auto mode"),
      lab: z.boolean().describe("whether stepping operations are allowed"),
      operations: z.array(z.string()),
    }),
});

import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const metadata = operation({
  name: "metadata",
  summary: "Says for each partition of a topic who leads it, in which epoch, and who is in sync.",
  request: () => ({ topic: fields.topic }),
  response: () =>
    z.object({
      topic: z.string(),
      partitions: z.array(
        z.object({
          partition: z.int(),
          leader_id: z.int().nullable().describe("null when no running broker may lead"),
          leader_epoch: z.int(),
          replicas: z.array(z.int()),
          isr: z.array(z.int()),
        }),
      ),
    }),
});

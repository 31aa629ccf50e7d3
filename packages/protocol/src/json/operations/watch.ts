import { z } from "zod";
import { EVENT_KINDS } from "../events.ts";
import * as fault from "../fault-fields.ts";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

const TOPICS_MAX = 1_000;

export const watch = operation({
  name: "watch",
  summary:
    'From its answer on a line `{"event": {…}}` is sent for each thing that happens, until `unwatch` or the end of the connection; see [Events](#events). Another watch takes the place of the first.',
  request: () => ({
    topics: z
      .array(fields.topic)
      .min(1)
      .max(TOPICS_MAX)
      .optional()
      .describe("only events of these topics, which need not exist yet; left out: all events"),
    kinds: z
      .array(z.enum(EVENT_KINDS))
      .min(1)
      .max(EVENT_KINDS.length)
      .optional()
      .describe("only events of these kinds; left out: all kinds but request_taken and request_done"),
    requests: z
      .boolean()
      .default(false)
      .describe(
        "also the kinds request_taken and request_done, whatever kinds are asked for; with topics, of the requests that name one of them",
      ),
    fault_mark: fault.mark
      .optional()
      .describe(
        "of fault_fired only those of faults that were armed with a mark that begins so, each with that mark as `mark`, which no other watch is told; left out: those of all faults",
      ),
  }),
  response: () =>
    z.object({
      absent_topics: z
        .array(z.string())
        .optional()
        .describe("those of topics that are not there yet; left out when all are"),
    }),
});

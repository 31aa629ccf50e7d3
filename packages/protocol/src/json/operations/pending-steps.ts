import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { deadline, pendingStep } from "../pending-fields.ts";

export const pendingSteps = operation({
  name: "pending_steps",
  summary:
    "Which steps of the background work would do something if they were taken now, what each would do, and when time alone brings more. Nothing is changed by it; a step that is not listed would do nothing. In auto mode the broker may take them first.",
  request: () => ({
    topic: fields.topic
      .optional()
      .describe("only steps and deadlines of this topic's partitions; left out: all there are"),
  }),
  response: () =>
    z.object({
      now_ms: fields.timestampMs,
      steps: z.array(pendingStep()).describe("in the order in which run_until_quiet takes them"),
      deadlines: z.array(deadline()).describe("earliest first, all of them later than now_ms"),
    }),
});

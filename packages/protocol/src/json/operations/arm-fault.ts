import { z } from "zod";
import * as fault from "../fault-fields.ts";
import { operation } from "../operation.ts";

export const armFault = operation({
  name: "arm_fault",
  summary: "Has something fail, wait or die where and as often as one says. Nothing else does so by itself.",
  request: () => ({
    ...fault.order(),
    times: fault.times
      .default("once")
      .describe("which of the hits it acts on, counted from 1 since it was armed"),
    mark: fault.mark
      .optional()
      .describe("any text by which it is known again: numbers begin anew with each start of a broker"),
  }),
  response: () => z.object({ rule_id: fault.ruleId }),
});

import { z } from "zod";
import * as fault from "../fault-fields.ts";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const disarmFaults = operation({
  name: "disarm_faults",
  summary: "Forgets one armed fault, or all of them, and lets go what they hold.",
  request: () => ({ rule_id: fault.ruleId.optional().describe("only this one"), mark: fault.ofMark }),
  response: () => z.object({ disarmed: fields.count.describe("how many were armed") }),
});

import { z } from "zod";
import * as fault from "../fault-fields.ts";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

const point = () =>
  z.object({
    point: z.string(),
    actions: z.array(z.string()).describe("what it can be armed with"),
    scope: z.array(z.string()).describe("the fields of arm_fault that it can be bound by"),
  });

/** As it was ordered, with what came of it. */
const rule = () =>
  z.object({
    rule_id: fault.ruleId,
    ...fault.order(),
    action: z.string(),
    code: z.string().optional(),
    errno: z.string().optional(),
    times: fault.times,
    mark: z.string().optional().describe("as arm_fault was given it; left out for none"),
    hits: fields.count.describe("how often it could have acted"),
    fired: fields.count.describe("how often it has acted"),
    held: fields.count.describe("how many wait for release_fault"),
  });

export const listFaults = operation({
  name: "list_faults",
  summary: "All points at which faults can be armed, and the faults that are, with their counts.",
  request: () => ({}),
  response: () => z.object({ points: z.array(point()), rules: z.array(rule()).describe("oldest first") }),
});

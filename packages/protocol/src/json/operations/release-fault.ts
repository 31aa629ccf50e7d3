import { z } from "zod";
import * as fault from "../fault-fields.ts";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const releaseFault = operation({
  name: "release_fault",
  summary:
    "Lets go what a fault of action hold holds; from then on it holds nothing more, and goes on counting.",
  request: () => ({ rule_id: fault.ruleId, mark: fault.ofMark }),
  response: () => z.object({ released: fields.count.describe("how many were held") }),
});

import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const startBroker = operation({
  name: "start_broker",
  summary: "Starts a stopped broker again. What did not end cleanly is out of sync until it has caught up.",
  request: () => ({ broker_id: fields.brokerId }),
  response: () =>
    z.object({
      broker_id: z.int(),
      clean: z.boolean().describe("whether it had ended cleanly"),
    }),
});

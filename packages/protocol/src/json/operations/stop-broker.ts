import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const stopBroker = operation({
  name: "stop_broker",
  summary: "Stops one broker of this process: what it leads has no leader, what it follows falls behind.",
  request: () => ({ broker_id: fields.brokerId }),
  response: () =>
    z.object({
      broker_id: z.int(),
      clean: z.boolean().describe("whether all that it had was flushed and closed"),
    }),
});

import { z } from "zod";
import { operation } from "../operation.ts";

export const unwatch = operation({
  name: "unwatch",
  summary: "Ends the watch of this connection, if there is one. No event follows the answer.",
  request: () => ({}),
  response: () => z.object({}),
});

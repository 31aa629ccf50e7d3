import { z } from "zod";
import { operation } from "../operation.ts";

export const ping = operation({
  name: "ping",
  summary: "Answers at once; shows that the connection and the broker live.",
  request: () => ({}),
  response: () => z.object({}),
});

import { z } from "zod";
import { operation } from "../operation.ts";

export const clock = operation({
  name: "clock",
  summary: "Reads the broker's clock without moving it.",
  request: () => ({}),
  response: () => z.object({ now_ms: z.int() }),
});

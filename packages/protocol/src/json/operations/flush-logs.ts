import { z } from "zod";
import { operation } from "../operation.ts";

export const flushLogs = operation({
  name: "flush_logs",
  summary: "Makes everything durable that was appended before, as the flush interval does in auto mode.",
  request: {},
  response: z.object({}),
});

import { z } from "zod";
import { operation } from "../operation.ts";

export const crash = operation({
  name: "crash",
  summary:
    "The process dies at once, as by SIGKILL: nothing is flushed, and no answer comes. A broker in a program of somebody's serves nothing more.",
  request: () => ({}),
  response: () => z.object({}),
});

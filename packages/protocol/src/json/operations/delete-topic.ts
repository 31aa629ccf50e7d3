import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const deleteTopic = operation({
  name: "delete_topic",
  summary: "Deletes a topic with all its records.",
  request: () => ({ topic: fields.topic }),
  response: () => z.object({}),
});

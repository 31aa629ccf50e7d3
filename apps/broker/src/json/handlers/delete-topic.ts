/**
 * delete_topic: the topic is gone from the request on, also after a crash, and its folders are when it answers. Fetches that waited on it are told UNKNOWN_TOPIC.
 * Refuses: UNKNOWN_TOPIC.
 */
import type { Handler } from "../handler.ts";

export const deleteTopic: Handler<"delete_topic"> = async ({ topic }, { cluster }) => {
  await cluster.deleteTopicLater(topic);
  return {};
};

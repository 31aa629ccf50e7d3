/**
 * delete_topic: the topic is gone when it answers, also after a crash. Fetches that waited on it are told UNKNOWN_TOPIC.
 * Refuses: UNKNOWN_TOPIC.
 */
import type { Handler } from "../handler.ts";

export const deleteTopic: Handler<"delete_topic"> = ({ topic }, { cluster }) => {
  cluster.deleteTopic(topic);
  return {};
};

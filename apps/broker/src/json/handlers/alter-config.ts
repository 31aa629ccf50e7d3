/**
 * alter_config: when it answers, the new settings hold for all that comes next, and survive a crash.
 * Refuses: UNKNOWN_TOPIC, INVALID_CONFIG (then nothing is changed), STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";

export const alterConfig: Handler<"alter_config"> = ({ topic, config }, { cluster }) => {
  cluster.alterConfig(topic, config);
  return { topic };
};

/** watch: begins right behind its answer, so that no event comes before it. Refuses: INVALID_REQUEST (an unknown kind). */
import type { Handler } from "../handler.ts";

export const watch: Handler<"watch"> = ({ topics, kinds, requests }, { events }, client) => {
  client.afterAnswer(() =>
    client.watching.begin(events, {
      topics: topics === undefined ? null : new Set(topics),
      kinds: kinds === undefined ? null : new Set(kinds),
      requests,
    }),
  );
  return {};
};

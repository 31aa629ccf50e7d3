/** watch: begins right behind its answer, so that no event comes before it. Refuses: INVALID_REQUEST (an unknown kind). */
import type { Handler } from "../handler.ts";

export const watch: Handler<"watch"> = (
  { topics, kinds, requests, fault_mark: markStart },
  context,
  client,
) => {
  const { events, cluster } = context;
  client.afterAnswer(() =>
    client.watching.begin(events, {
      topics: topics === undefined ? null : new Set(topics),
      kinds: kinds === undefined ? null : new Set(kinds),
      requests,
      // Whichever faults there are by then.
      ...(markStart !== undefined && { faults: { markStart, markOf: (id) => context.faults.markOf(id) } }),
    }),
  );
  const absent = topics?.filter((topic) => !cluster.hasTopic(topic)) ?? [];
  return absent.length === 0 ? {} : { absent_topics: absent };
};

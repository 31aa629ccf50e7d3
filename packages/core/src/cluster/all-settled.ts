/** Doing the same to many, where one's failure must not keep the others from their turn. */
import type { Places } from "../env/places.ts";
import { BrokerError } from "../errors.ts";

/** The same for `act` on each, of which as many are under way at a time as there are `places`: thousands together would all be slow. */
export async function eachSettled<Item>(
  items: Iterable<Item>,
  places: Places,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const inTurn = async (item: Item): Promise<void> => {
    if (!places.tryTake()) await places.take();
    try {
      await act(item);
    } finally {
      places.give();
    }
  };
  await allSettled([...items].map(inTurn));
}

/**
 * Resolves when every promise has resolved. When some reject, waits for the rest and rejects with one of the problems:
 * first of all with one that is not the world's doing.
 */
export async function allSettled(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const problems = results.flatMap((result): unknown[] =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (problems.length > 0) throw problems.find((problem) => !(problem instanceof BrokerError)) ?? problems[0];
}

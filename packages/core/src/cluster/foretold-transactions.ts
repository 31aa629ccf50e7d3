/** What time does to transactions, told from what is in memory. Changes nothing and loads nothing. */
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import { knownShards } from "../coordinator/known-shards.ts";
import { foretoldRepairs, type HangingParts } from "../transaction/hanging-transactions.ts";
import type { TransactionParts } from "../transaction/transaction-coordinator.ts";
import { type ExpiryWorld, expiryTimes, foretoldExpiry } from "../transaction/transaction-expiry.ts";
import type { TransactionKinds } from "../transaction/transaction-keeper.ts";
import type { GroupOperations } from "./group-operations.ts";
import { OFFSETS_TOPIC } from "./internal-topics.ts";
import type { Foretold, StepDeadline } from "./pending-step.ts";

export interface TransactionForesightParts extends Pick<TransactionParts, "completion">, HangingParts {
  readonly topic: CoordinatorTopic<TransactionKinds>;
  readonly groups: Pick<GroupOperations, "isLoaded">;
}

export interface ForetoldTransactions {
  readonly would: Foretold["expire_transactions"]["would"];
  readonly deadlines: readonly StepDeadline[];
}

export function foretoldTransactions(
  parts: TransactionForesightParts,
  world: ExpiryWorld,
): ForetoldTransactions {
  const { topic, completion, rooms, groups } = parts;
  const { known, unloaded } = knownShards(topic);
  const expiries = known.map(({ transaction }) => foretoldExpiry(transaction, completion, world));
  // What groups have open must be in memory before it can be judged.
  const ofGroups = rooms
    .placesWithOpenTransactions()
    .filter((place) => place.topic === OFFSETS_TOPIC && !groups.isLoaded(place.partition))
    .map(({ topic: name, partition }) => ({ topic: name, partition }));
  const loads = [...unloaded.map((partition) => ({ topic: topic.topic, partition })), ...ofGroups];
  return {
    would: {
      aborted: expiries.flatMap((each) => each.aborted),
      completed: expiries.flatMap((each) => each.completed),
      forgotten: expiries.flatMap((each) => each.forgotten),
      repaired: unloaded.length > 0 ? [] : foretoldRepairs(parts),
      loads,
    },
    deadlines: known.flatMap(({ transaction }) =>
      expiryTimes(transaction, world).map((each) => ({ operation: "expire_transactions" as const, ...each })),
    ),
  };
}

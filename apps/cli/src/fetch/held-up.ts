/** Where readers end before the leader's log does, what holds them up there, and the words for it. */
import type { Admin, TopicPartition } from "@minikafka/client";
import type { Isolation } from "../input/arguments.ts";

/** The first offset that a reader cannot pass now. */
export interface HeldUp extends TopicPartition {
  readonly offset: number;
  /** An open transaction holds up readers of committed records; what not every replica in sync has is for nobody yet. */
  readonly by: "transaction" | "replication";
}

/** Places that are named in one line. */
const NAMED_MAX = 3;

/** A look that keeps nobody from an answer: what cannot be looked at is left out. */
export async function heldUpAmong(
  admin: Pick<Admin, "describePartition">,
  places: readonly TopicPartition[],
  isolation: Isolation | undefined,
  signal: AbortSignal,
): Promise<HeldUp[]> {
  const looked = await Promise.all(
    places.map(async ({ topic, partition }): Promise<readonly HeldUp[]> => {
      try {
        const described = await admin.describePartition({ topic, partition }, { signal });
        const { lastStableOffset, highWatermark, logEndOffset } = described;
        if (lastStableOffset === null || highWatermark === null || logEndOffset === null) return [];
        if (isolation === "read_committed" && lastStableOffset < highWatermark)
          return [{ topic, partition, offset: lastStableOffset, by: "transaction" }];
        return highWatermark < logEndOffset
          ? [{ topic, partition, offset: highWatermark, by: "replication" }]
          : [];
      } catch {
        return [];
      }
    }),
  );
  return looked.flat();
}

/** `orders [1] at offset 4, orders [2] at offset 0`. */
export function heldUpText(held: readonly HeldUp[]): string {
  return someOf(held.map(({ topic, partition, offset }) => `${topic} [${partition}] at offset ${offset}`));
}

/** `offset 4 of orders [1], offset 0 of orders [2]`. */
function offsetsText(held: readonly HeldUp[]): string {
  return someOf(held.map(({ topic, partition, offset }) => `offset ${offset} of ${topic} [${partition}]`));
}

function someOf(texts: readonly string[]): string {
  const named = texts.slice(0, NAMED_MAX);
  return (texts.length > NAMED_MAX ? [...named, `${texts.length - NAMED_MAX} more`] : named).join(", ");
}

/** How a reader ended that had everything but what is held up, of which there is some; of several reasons the transactions are told. */
export function stoppedText(held: readonly HeldUp[], records: string): string {
  const open = held.filter(({ by }) => by === "transaction");
  const [first] = held;
  if (first !== undefined && open.length === 0) {
    const yet = `${held.length === 1 ? "is" : "are"} not yet on every in-sync replica`;
    return `${records}: ${offsetsText(held)} ${yet}; minikafka-cli replicas ${first.topic} shows who is behind`;
  }
  const what = open.length === 1 ? "an open transaction" : "open transactions";
  const whose = open.length === 1 ? "who has it open" : "who has them open";
  return `stopped before ${what} (${heldUpText(open)}): ${records}; minikafka-cli tx list shows ${whose}`;
}

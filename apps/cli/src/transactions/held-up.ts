/** Where readers of committed records are held up by a transaction that is open, and the words for it. */
import type { Admin, TopicPartition } from "@minikafka/client";

/** The first offset that such readers cannot pass now. */
export interface HeldUp extends TopicPartition {
  readonly offset: number;
}

/** Places that are named in one line. */
const NAMED_MAX = 3;

/** A look that keeps nobody from an answer: what cannot be looked at is left out. */
export async function heldUpAmong(
  admin: Pick<Admin, "describePartition">,
  places: readonly TopicPartition[],
  signal: AbortSignal,
): Promise<HeldUp[]> {
  const looked = await Promise.all(
    places.map(async ({ topic, partition }) => {
      try {
        const described = await admin.describePartition({ topic, partition }, { signal });
        const { lastStableOffset: offset, highWatermark } = described;
        return offset === null || highWatermark === null || offset >= highWatermark
          ? []
          : [{ topic, partition, offset }];
      } catch {
        return [];
      }
    }),
  );
  return looked.flat();
}

/** `orders [1] at offset 4, orders [2] at offset 0`. */
export function heldUpText(held: readonly HeldUp[]): string {
  const named = held
    .slice(0, NAMED_MAX)
    .map(({ topic, partition, offset }) => `${topic} [${partition}] at offset ${offset}`);
  return (held.length > NAMED_MAX ? [...named, `${held.length - NAMED_MAX} more`] : named).join(", ");
}

/** How a reader of committed records ended that had everything but what is held up. */
export function stoppedText(held: readonly HeldUp[], records: string): string {
  const what = held.length === 1 ? "an open transaction" : "open transactions";
  const whose = held.length === 1 ? "who has it open" : "who has them open";
  return `stopped before ${what} (${heldUpText(held)}): ${records}; minikafka-cli tx list shows ${whose}`;
}

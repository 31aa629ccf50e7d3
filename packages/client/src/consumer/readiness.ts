/** Waits until a consumer has all that it was assigned, and knows where it is in each of its partitions. */
import { MiniKafkaError } from "../errors.ts";
import type { Session } from "../session.ts";
import { type TopicPartition, topicPartitionKey } from "../topic-partition.ts";
import { untilAborted } from "../waiting.ts";
import type { RecordSupply } from "./record-supply.ts";

/** How long a consumer may take to be ready. */
export interface ReadyOptions {
  /** Fails with TIMEOUT after so long, and says what it waits for (default: waits as long as it takes). */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Readiness {
  /** What is missing in words, the positions aside; `null` for nothing. */
  waitsFor(): string | null;
  /** Finds the position out. */
  position(place: TopicPartition): Promise<number>;
}

/** Fails with an error of a partition or of the group, as a poll would. */
export async function whenReady(
  session: Session,
  supply: RecordSupply,
  options: ReadyOptions,
  readiness: Readiness,
): Promise<void> {
  const over = new AbortController();
  const { timeoutMs, signal } = options;
  const lost = () => supply.ring.all.find(({ position }) => position === null);
  const giveUp = () => over.abort(notReady(timeoutMs, readiness.waitsFor() ?? positionOf(lost()?.place)));
  const cancel = timeoutMs === undefined ? () => {} : session.clock.after(timeoutMs, giveUp);
  const enough = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  try {
    for (;;) {
      enough.throwIfAborted();
      supply.assertOpen();
      const error = supply.takeError();
      if (error !== null) throw error;
      if (readiness.waitsFor() !== null) {
        await supply.change(enough);
        continue;
      }
      const unknown = lost();
      if (unknown === undefined) return;
      await untilAborted(readiness.position(unknown.place), enough);
    }
  } finally {
    cancel();
  }
}

function positionOf(place: TopicPartition | undefined): string {
  return place === undefined ? "nothing any more" : `the position in ${topicPartitionKey(place)}`;
}

function notReady(timeoutMs: number | undefined, waitsFor: string): MiniKafkaError {
  const message = `the consumer is not ready after ${timeoutMs} ms: it waits for ${waitsFor}`;
  return new MiniKafkaError("TIMEOUT", message, { details: { timeoutMs, waitsFor, sent: false } });
}

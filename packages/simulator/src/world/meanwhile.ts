/** Notes what happened while something else was under way, by what the kernel tells and by what befalls it. */
import type { TopicPartition, TraceEvent } from "@minikafka/core";

/** Things that happen while others are under way. */
export const MEANWHILE = [
  "the process died with a transaction open",
  "the process died between a decision and its last marker",
  "the process died while it opened",
  "a log was compacted with a transaction open",
  "a leader changed with a transaction open",
  "the process died in the moment of something else",
  "a marker came late, and changed nothing",
  "a batch was acknowledged only by a retry",
  "a transaction was committed only by a retry",
  "a copier copied",
  "a member vanished with partitions of its own",
] as const;
export type Meanwhile = (typeof MEANWHILE)[number];

type WrittenMarker = Extract<TraceEvent, { kind: "marker_written" }>;

const MARKERS_KEPT = 50;

export class Meantime {
  /** The last ones that were written. */
  readonly markers: WrittenMarker[] = [];
  readonly reached = new Map<Meanwhile, number>();
  /** By transactional id, the partition that it took up last. */
  readonly lastPlaces = new Map<string, TopicPartition>();
  /** Transactional ids with a transaction open, as far as was told. */
  readonly #open = new Set<string>();
  /** Those whose end is decided, and not complete. */
  readonly #deciding = new Set<string>();

  reach(what: Meanwhile): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  readonly traced = (event: TraceEvent): void => {
    switch (event.kind) {
      case "transaction_begun":
        this.#open.add(event.transactionalId);
        break;
      case "transaction_prepared":
        this.#open.delete(event.transactionalId);
        this.#deciding.add(event.transactionalId);
        break;
      case "transaction_partition_added": {
        const { topic, partition } = event;
        this.lastPlaces.set(event.transactionalId, { topic, partition });
        break;
      }
      case "transaction_completed":
        this.#deciding.delete(event.transactionalId);
        break;
      case "marker_written":
        this.markers.push(event);
        if (this.markers.length > MARKERS_KEPT) this.markers.shift();
        break;
      case "compacted":
        if (this.#open.size > 0) this.reach("a log was compacted with a transaction open");
        break;
      case "leader_changed":
        if (this.#open.size > 0) this.reach("a leader changed with a transaction open");
        break;
      default:
    }
  };

  died({ wasOpen }: { wasOpen: boolean }): void {
    if (!wasOpen) this.reach("the process died while it opened");
    if (this.#open.size > 0) this.reach("the process died with a transaction open");
    if (this.#deciding.size > 0) this.reach("the process died between a decision and its last marker");
  }
}

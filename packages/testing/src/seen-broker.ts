/**
 * What a test sees of its broker: looks, each of which is answered in this instant, and waits, which look again whenever something has happened.
 *
 * Never changes anything. Who may be looked at, and when, is of whoever extends it.
 */
import type { BrokerCluster, PartitionDescription, TransactionListing } from "@minikafka/core";
import { calledAs } from "./call-site.ts";
import { conditionWish } from "./condition-wish.ts";
import { type GroupView, groupView } from "./group-view.ts";
import { type GroupWish, groupWish } from "./group-wish.ts";
import { recordsWish } from "./records-wish.ts";
import {
  RECORDS_OPTIONS,
  type RecordsQuery,
  requireQuery,
  type SeenRecord,
  seenRecords,
} from "./seen-records.ts";
import { requireInteger, requireOnly, requireText } from "./usage.ts";
import { WAIT_OPTIONS, type WaitLimits, type Waits, type Wish } from "./waits.ts";

/** What is there in a broker of this process, and the waits for what is to come. */
export abstract class SeenBroker {
  readonly #waits: Waits;

  protected constructor(waits: Waits) {
    this.#waits = waits;
  }

  /** Throws CLOSED, CRASHED, CONNECTION, LEADER_NOT_AVAILABLE. */
  protected abstract livingKernel(): BrokerCluster;

  /** Throws CLOSED. */
  protected abstract requireOpen(): void;

  /** Throws LEADER_NOT_AVAILABLE. */
  protected abstract requireBegun(): void;

  /** What a consumer of the topic could read now, by partition and offset. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, LEADER_NOT_AVAILABLE, CRASHED. */
  records(topic: string, query: RecordsQuery = {}): readonly SeenRecord[] {
    requireOnly("records", query, RECORDS_OPTIONS);
    requireQuery(topic, query);
    return seenRecords(this.livingKernel(), topic, query);
  }

  /** Who leads, who is in sync, where it ends, its segments, producers and epochs. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, CRASHED. */
  partition(topic: string, partition: number): PartitionDescription {
    requireText("topic", topic);
    requireInteger("partition", partition, 0);
    return this.livingKernel().describePartition({ topic, partition });
  }

  /** Its members and how far it has read; `null` where there is no such group. Throws CRASHED. */
  group(groupId: string): GroupView | null {
    requireText("groupId", groupId);
    return groupView(this.livingKernel(), groupId);
  }

  /** Every transactional id with its state. Throws CRASHED. */
  transactions(): readonly TransactionListing[] {
    return this.livingKernel().transactions.listNow();
  }

  /**
   * Resolves with the topic's records once there are at least `count`; it need not be there yet. Rejects with WaitTimedOut, which says
   * what was there, CLOSED, or the signal's reason.
   */
  waitForRecords(
    topic: string,
    count: number,
    limits: RecordsQuery & WaitLimits = {},
  ): Promise<readonly SeenRecord[]> {
    return this.#until(this.waitForRecords, limits, RECORDS_OPTIONS, (query) =>
      recordsWish(() => this.livingKernel(), topic, count, query),
    );
  }

  /** Resolves with the group once it is as wished, stable when nothing is said. Rejects as waitForRecords. */
  async waitForGroup(groupId: string, wish: GroupWish & WaitLimits = {}): Promise<GroupView> {
    const seen = this.#until(this.waitForGroup, wish, ["state", "members", "drained"], (wanted) =>
      groupWish((id) => this.group(id), groupId, wanted),
    );
    return (await seen) as GroupView;
  }

  /**
   * Resolves once `holds` does, which is asked whenever something has happened in the kernel, and must not change anything:
   * `waitUntil("the follower is in sync", () => broker.partition("orders", 0).inSyncReplicas.length === 2)`. What the broker refuses, and
   * false, are waited for; anything else that `holds` throws ends the wait. Rejects as waitForRecords, and with USAGE for a `holds` that
   * returns anything but true or false, a promise above all.
   */
  async waitUntil(what: string, holds: () => boolean, limits: WaitLimits = {}): Promise<void> {
    await this.#until(this.waitUntil, limits, [], () => conditionWish(what, holds));
  }

  /** `options`: what `method` takes beside the limits of every wait, and what it waits for is made of. */
  #until<Seen, Given extends WaitLimits>(
    method: (...given: never[]) => Promise<unknown>,
    given: Given,
    options: readonly string[],
    wishOf: (wanted: Omit<Given, keyof WaitLimits>) => Wish<Seen>,
  ): Promise<Seen> {
    return calledAs(method, async () => {
      requireOnly(method.name, given, [...options, ...WAIT_OPTIONS]);
      const { timeoutMs, signal, ...wanted } = given;
      const wish = wishOf(wanted);
      this.requireOpen();
      const look = () => {
        this.requireBegun();
        return wish.look();
      };
      const missing = (seen: Seen) => {
        const text = wish.missing(seen);
        return text === null ? null : text + this.#absenceText();
      };
      return this.#waits.until({ ...wish, look, missing }, { timeoutMs, signal });
    });
  }

  /** What a test looks at itself may not say that nobody is there. */
  #absenceText(): string {
    try {
      this.livingKernel();
      return "";
    } catch (absence) {
      return `; ${(absence as Error).message}`;
    }
  }
}

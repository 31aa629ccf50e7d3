/** What a history of transactions must leave: each one whole or not at all, for every reader, from the first look to the last. */
import assert from "node:assert/strict";
import { readBatchHeader, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import { committedIn } from "./transactional-producer.ts";

/** One transaction, as its producer knows it. */
export interface WitnessedTransaction {
  readonly number: number;
  readonly group: string;
  /** By partition: the records that were acknowledged, in order. */
  readonly sent: Map<string, string[]>;
  /** Whether its offset, which is its number, was taken. */
  hasOffset: boolean;
  /** "asked": its commit was asked for and not answered. */
  fate: "open" | "asked" | "committed" | "aborted";
}

export class TransactionWitness {
  readonly places: readonly TopicPartition[];
  readonly transactions: WitnessedTransaction[] = [];
  /** By partition: the longest that a reader of committed records has seen. */
  readonly #seen = new Map<string, readonly string[]>();

  constructor(places: readonly TopicPartition[]) {
    this.places = places;
  }

  begin(group: string): WitnessedTransaction {
    const number = this.transactions.length + 1;
    const transaction = { number, group, sent: new Map(), hasOffset: false, fate: "open" as const };
    this.transactions.push(transaction);
    return transaction;
  }

  /** Nothing is seen whose commit was not asked for, and what was seen once stays where it was. */
  look(cluster: BrokerCluster): void {
    for (const place of this.places) {
      if (cluster.replicaSet(place).leaderId === null) continue;
      const now = committedIn(cluster, place);
      const before = this.#seen.get(partitionName(place)) ?? [];
      const common = Math.min(now.length, before.length);
      assert.deepEqual(now.slice(0, common), before.slice(0, common), `${partitionName(place)} has changed`);
      if (now.length > before.length) this.#seen.set(partitionName(place), now);
      for (const value of now) {
        const { fate } = this.#of(value);
        assert.ok(fate === "asked" || fate === "committed", `${value} is seen, and is ${fate}`);
      }
    }
  }

  /** Once everything has come to an end: whole or not at all. Returns how many are there. */
  check(cluster: BrokerCluster, offsets: ReadonlyMap<string, number | null>): number {
    this.look(cluster);
    const visible = new Map(this.places.map((place) => [partitionName(place), committedIn(cluster, place)]));
    const there = this.transactions.filter((transaction) => this.#isThere(transaction, visible));
    for (const [group, offset] of offsets)
      this.#requireOffset(
        offset,
        there.filter((each) => each.group === group),
        group,
      );
    for (const place of this.places) {
      const set = cluster.replicaSet(place);
      assert.equal(
        set.visibleEnd("read_committed"),
        set.highWatermark,
        `${partitionName(place)} is held back`,
      );
      requireOneMarkerEach(cluster, place);
    }
    return there.length;
  }

  /** That of the last one that is there; or of a later one whose commit had no answer, and that left no record to tell by. */
  #requireOffset(offset: number | null, there: readonly WitnessedTransaction[], group: string): void {
    const last = there.filter(({ hasOffset }) => hasOffset).at(-1)?.number ?? null;
    const mayBe = this.transactions.filter(
      (each) => each.group === group && each.hasOffset && each.fate === "asked" && each.sent.size === 0,
    );
    const allowed = [last, ...mayBe.map(({ number }) => number).filter((number) => number > (last ?? 0))];
    assert.ok(allowed.includes(offset), `the offset of ${group} is ${offset}, expected one of ${allowed}`);
  }

  #isThere(
    { number, sent, fate }: WitnessedTransaction,
    visible: ReadonlyMap<string, readonly string[]>,
  ): boolean {
    const ofIt = (values: readonly string[]) => values.filter((value) => value.startsWith(`${number}.`));
    const found = [...visible].map(([name, values]) => [name, ofIt(values)] as const);
    const count = found.reduce((sum, [, values]) => sum + values.length, 0);
    const isWhole = found.every(([name, values]) => `${values}` === `${sent.get(name) ?? []}`);
    const isNothing = count === 0;
    const shown = `transaction ${number}, which is ${fate}, left ${JSON.stringify(found)}`;
    if (fate === "committed") assert.ok(isWhole, shown);
    else if (fate === "asked") assert.ok(isWhole || isNothing, shown);
    else assert.ok(isNothing, shown);
    return fate === "committed" || (fate === "asked" && count > 0);
  }

  #of(value: string): WitnessedTransaction {
    const transaction = this.transactions[Number(value.split(".")[0]) - 1];
    assert.ok(transaction !== undefined, `${value} was sent by nobody`);
    return transaction;
  }
}

/** Each transaction that wrote to the partition has one marker there, and no other has one. */
function requireOneMarkerEach(cluster: BrokerCluster, place: TopicPartition): void {
  const log = cluster.replicaSet(place).leaderLog;
  const open = new Map<number, number>();
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const { producerId, producerEpoch, control, baseOffset } = readBatchHeader(frame);
      const epoch = open.get(producerId);
      const where = `offset ${baseOffset} of ${partitionName(place)}`;
      if (control === null) {
        assert.ok(epoch === undefined || epoch === producerEpoch, `two transactions are one at ${where}`);
        open.set(producerId, producerEpoch);
      } else {
        assert.equal(
          epoch === undefined ? null : epoch + 1,
          producerEpoch,
          `a marker of nothing at ${where}`,
        );
        open.delete(producerId);
      }
    }
    offset = nextOffset;
  }
  assert.equal(open.size, 0, `${partitionName(place)} has open transactions`);
}

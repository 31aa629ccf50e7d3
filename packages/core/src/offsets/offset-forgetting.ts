/**
 * Offsets that are forgotten: because their time is over, their topic is gone, or somebody deletes their group.
 *
 * Invariant: judged with what is open in mind, so that an offset which was just committed is not taken for the old one.
 */
import type { CoordinatorRecord } from "../coordinator/coordinator-record.ts";
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { OffsetKinds, OffsetParts } from "./committed-offsets.ts";
import { type ExpiredOffset, expiredOffsets } from "./offset-expiry.ts";
import { offsetRecord } from "./offset-record.ts";
import type { CommittedEntry, OffsetStore } from "./offset-store.ts";

export interface ForgottenOffset extends TopicPartition {
  readonly groupId: string;
}

/**
 * Records after which a group has no offsets, as many as one batch takes: whoever deletes a group writes them until there are
 * none left.
 */
export function tombstonesOf(store: OffsetStore, groupId: string): CoordinatorRecord[] {
  const entries = store.newest(groupId).slice(0, LIMITS.offsetsForgottenAtOnce);
  return entries.map((entry) => offsetRecord({ ...entry, stored: null }));
}

export class OffsetExpiry<Kinds extends OffsetKinds> {
  readonly #parts: OffsetParts<Kinds>;
  readonly #retentionMs: number;
  readonly #env: Env;

  constructor(parts: OffsetParts<Kinds>, { retentionMs }: { readonly retentionMs: number }, env: Env) {
    this.#parts = parts;
    this.#retentionMs = retentionMs;
    this.#env = env;
  }

  /**
   * Forgets what is over, and resolves with it once that is acknowledged. A partition of the internal topic that cannot be read or
   * written stops no other: its problem is told after all were tried. Kafka: every offsets.retention.check.interval.ms.
   */
  async expire(): Promise<ForgottenOffset[]> {
    const forgotten: ForgottenOffset[] = [];
    const problems: BrokerError[] = [];
    for (const shard of this.#parts.topic.shards()) {
      try {
        for (const groupId of await this.#groupsToLookAt(shard))
          forgotten.push(...(await this.#expireGroup(shard, groupId)));
      } catch (problem) {
        if (!(problem instanceof BrokerError)) throw problem;
        problems.push(problem);
      }
    }
    if (problems[0] !== undefined) throw problems[0];
    return forgotten;
  }

  /** What expire() would forget of `kinds` now. */
  foretold(kinds: Kinds): ForgottenOffset[] {
    return [...kinds.offset.groupIds()].flatMap((groupId): ForgottenOffset[] => {
      if (this.#over(kinds, groupId, kinds.offset.of(groupId)).length === 0) return [];
      const over = this.#over(kinds, groupId, kinds.offset.newest(groupId));
      return over.map(({ entry: { topic, partition } }) => ({ groupId, topic, partition }));
    });
  }

  /** When time alone will have expire() forget something more of each group, if the group is left as it is. */
  dueTimes(kinds: Kinds): { readonly groupId: string; readonly dueMs: number }[] {
    return [...kinds.offset.groupIds()].flatMap((groupId) => {
      const heldUntilMs = this.#parts.rules.heldUntilMs(kinds, groupId);
      if (heldUntilMs === null || kinds.offset.staged.hasGroup(groupId)) return [];
      const entries = kinds.offset.of(groupId);
      const over = new Set(this.#over(kinds, groupId, entries).map(({ entry }) => entry));
      const times = entries
        .filter((entry) => !over.has(entry))
        .map(({ stored }) => Math.max(heldUntilMs, stored.committedMs));
      return times.length === 0 ? [] : [{ groupId, dueMs: Math.min(...times) + this.#retentionMs }];
    });
  }

  /** Those of which something acknowledged is over. Found in parts, so that whoever shares the thread gets a turn. */
  async #groupsToLookAt(shard: CoordinatorShard<Kinds>): Promise<string[]> {
    const found: string[] = [];
    const groupIds = await shard.read(({ offset }) => [...offset.groupIds()]);
    for (let next = 0; next < groupIds.length; ) {
      next = await shard.read((kinds) => {
        let [looked, place] = [0, next];
        for (; place < groupIds.length && looked < LIMITS.offsetsForgottenAtOnce; place += 1) {
          const groupId = groupIds[place] ?? "";
          const entries = kinds.offset.of(groupId);
          looked += entries.length;
          if (this.#over(kinds, groupId, entries).length > 0) found.push(groupId);
        }
        return place;
      });
      await this.#env.pause?.();
    }
    return found;
  }

  async #expireGroup(shard: CoordinatorShard<Kinds>, groupId: string): Promise<ForgottenOffset[]> {
    const forgotten: ForgottenOffset[] = [];
    for (;;) {
      const over = await shard.write((kinds) => {
        const answer = this.#over(kinds, groupId, kinds.offset.newest(groupId));
        const now = answer.slice(0, LIMITS.offsetsForgottenAtOnce);
        return { records: now.map(({ entry }) => offsetRecord({ ...entry, stored: null })), answer: now };
      });
      if (over.length === 0) return forgotten;
      const offsets = over.map(({ entry: { topic, partition, stored }, reason }) => {
        return { topic, partition, offset: stored.offset, committedMs: stored.committedMs, reason };
      });
      this.#env.trace({ kind: "offsets_expired", groupId, retentionMs: this.#retentionMs, offsets });
      forgotten.push(...offsets.map(({ topic, partition }) => ({ groupId, topic, partition })));
    }
  }

  #over(kinds: Kinds, groupId: string, entries: readonly CommittedEntry[]): ExpiredOffset[] {
    // The newest may be the one that a transaction is about to commit.
    if (kinds.offset.staged.hasGroup(groupId)) return [];
    const { rules, topicOf } = this.#parts;
    const nowMs = this.#env.clock.nowMs();
    const held = rules.heldUntilMs(kinds, groupId);
    return expiredOffsets(entries, held, { nowMs, retentionMs: this.#retentionMs, topicOf });
  }
}

/**
 * What a cluster does for groups: the door to their rooms, which it puts together with the cluster's own.
 *
 * Invariant: answered only while running.
 */
import { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { CommitRequest } from "../offsets/commit-request.ts";
import {
  type CommittedOffset,
  CommittedOffsets,
  type GroupRules,
  type OffsetKinds,
} from "../offsets/committed-offsets.ts";
import { type ForgottenOffset, OffsetExpiry } from "../offsets/offset-forgetting.ts";
import { OffsetStore } from "../offsets/offset-store.ts";
import { quoted } from "../quoted.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { type InternalTopicParts, openInternalTopic } from "./internal-topic.ts";
import { OFFSETS_TOPIC, OFFSETS_TOPIC_CONFIG } from "./internal-topics.ts";
import type { Lifecycle } from "./lifecycle.ts";

export class GroupOperations {
  readonly #lifecycle: Lifecycle;
  readonly #offsets: CommittedOffsets<OffsetKinds>;
  readonly #expiry: OffsetExpiry<OffsetKinds>;

  constructor(parts: InternalTopicParts, env: Env) {
    const { config, topics, lifecycle } = parts;
    const { offsetsTopicPartitions: partitions, offsetsRetentionMs: retentionMs } = config;
    const topic = new CoordinatorTopic<OffsetKinds>(
      {
        ...openInternalTopic(parts, { topic: OFFSETS_TOPIC, partitions, config: OFFSETS_TOPIC_CONFIG }, env),
        newKinds: () => ({ offset: new OffsetStore() }),
      },
      env,
    );
    const topicOf = (name: string) => {
      const found = topics.catalogue.get(name);
      return found === undefined ? null : { topicId: found.topicId, partitions: found.partitions.length };
    };
    const offsets = { topic, topicOf, rules: NO_MEMBERS };
    this.#lifecycle = lifecycle;
    this.#offsets = new CommittedOffsets(offsets, env);
    this.#expiry = new OffsetExpiry(offsets, { retentionMs }, env);
  }

  /** See CommittedOffsets.commit. Rejects with SHUTTING_DOWN besides, as all of these. */
  async commit(request: CommitRequest, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    await this.#offsets.commit(request, wait);
  }

  /** See CommittedOffsets.committed. */
  async committed(
    request: { readonly groupId: string; readonly partitions?: readonly TopicPartition[] },
    wait?: Wait,
  ): Promise<CommittedOffset[]> {
    this.#lifecycle.requireRunning();
    return this.#offsets.committed(request, wait);
  }

  /** See OffsetExpiry.expire. */
  async expireOffsets(): Promise<ForgottenOffset[]> {
    this.#lifecycle.requireRunning();
    return this.#expiry.expire();
  }
}

const NO_MEMBERS: GroupRules<OffsetKinds> = {
  requireCommitter: (_kinds, { groupId, member }) => {
    if (member !== null) throw new BrokerError("UNKNOWN_GROUP", `there is no group ${quoted(groupId)}`);
  },
  heldUntilMs: () => 0,
};

/** How a consumer takes part in its group; each option with Kafka's name and default. */
import type { RequestFields } from "@minikafka/protocol";
import { shownValue } from "@minikafka/record";
import { LIMITS } from "../../limits.ts";
import type { Session } from "../../session.ts";
import type { TopicPartition } from "../../topic-partition.ts";
import { checkedInteger, checkedTimeMs, fieldNames, usageError } from "../../usage.ts";
import { newMemberId } from "./member-id.ts";

/** How a group shares its partitions out. */
export type Assignor = NonNullable<RequestFields<"join_group">["assignor"]>;

/** A change of what a member has; one of the three lists is not empty. */
export interface Rebalance {
  /** The group's generation when the change was seen. */
  readonly generation: number;
  /** To be read from now on. The position is the committed offset; a `seek` within the listener moves it. */
  readonly assigned: readonly TopicPartition[];
  /** To be let go: nothing of them is handed out any more, and what was may still be committed until the listener is done. */
  readonly revoked: readonly TopicPartition[];
  /**
   * Gone already, since the member was expired, or the topic deleted and made anew: another member may read them, and nothing of
   * them can be committed.
   */
  readonly lost: readonly TopicPartition[];
}

/**
 * What it throws is thrown by the next poll, step of an iteration or `ready`, as it is: no MiniKafkaError unless it threw one. The
 * rebalance goes on without it.
 */
export type RebalanceListener = (rebalance: Rebalance) => void | Promise<void>;

export interface GroupOptions {
  /** The group whose partitions and committed offsets the consumer shares. Kafka: group.id. */
  readonly groupId?: string | undefined;
  /**
   * The member's name (default: one that nobody else has). One that stays the same from run to run gets its partitions back
   * at once when it comes back within its session. Two consumers at a time must never share one: nobody keeps them apart, and
   * both read all that the one member has. Kafka: group.instance.id.
   */
  readonly memberId?: string | undefined;
  /** How partitions are shared out (default "roundrobin"); the same for all of a group. Kafka: partition.assignment.strategy. */
  readonly assignor?: Assignor | undefined;
  /** A member that is silent for so long is expired (default: the broker's, 10000). Kafka: session.timeout.ms. */
  readonly sessionTimeoutMs?: number | undefined;
  /**
   * So long a member may take to let a revoked partition go (default: the broker's, 300000). Half of it is given to the
   * caller to be done with the records in hand. Kafka: max.poll.interval.ms.
   */
  readonly rebalanceTimeoutMs?: number | undefined;
  /**
   * How often the member says that it lives (default 3000, at most a third of the session; every 250 ms while it waits for
   * partitions). Kafka: heartbeat.interval.ms.
   */
  readonly heartbeatIntervalMs?: number | undefined;
  /**
   * Whether heartbeats go by themselves, also while the caller works (default true; with a manual clock false: the caller
   * steps `heartbeat` and `refreshAssignment`).
   */
  readonly autoHeartbeat?: boolean | undefined;
  /**
   * Whether what the caller is done with, having asked for more, is committed by itself: in an interval, before a partition
   * is let go, and at the close (default true; with a manual clock false). Kafka: enable.auto.commit.
   */
  readonly autoCommit?: boolean | undefined;
  /** Default 5000. Kafka: auto.commit.interval.ms. */
  readonly autoCommitIntervalMs?: number | undefined;
  /** Told of each change of what the member has, and awaited. Kafka: ConsumerRebalanceListener. */
  readonly onRebalance?: RebalanceListener | undefined;
}

export interface GroupSettings {
  readonly groupId: string;
  readonly memberId: string;
  readonly assignor: Assignor | undefined;
  /** `undefined`: the broker's. */
  readonly sessionTimeoutMs: number | undefined;
  readonly rebalanceTimeoutMs: number | undefined;
  readonly heartbeatIntervalMs: number;
  readonly autoHeartbeat: boolean;
  readonly autoCommit: boolean;
  readonly autoCommitIntervalMs: number;
  readonly onRebalance: RebalanceListener | null;
}

export const GROUP_OPTIONS = fieldNames<GroupOptions>({
  groupId: true,
  memberId: true,
  assignor: true,
  sessionTimeoutMs: true,
  rebalanceTimeoutMs: true,
  heartbeatIntervalMs: true,
  autoHeartbeat: true,
  autoCommit: true,
  autoCommitIntervalMs: true,
  onRebalance: true,
});

const ASSIGNORS: readonly Assignor[] = ["roundrobin", "range", "sticky"];

/** Fills in the defaults; `null` without a group. Throws USAGE for what does not fit together. */
export function groupSettings(options: GroupOptions, session: Session): GroupSettings | null {
  const { groupId, memberId, assignor, onRebalance } = options;
  if (groupId === undefined) {
    const alone = Object.entries(options).find(
      ([name, value]) => GROUP_OPTIONS.includes(name) && value !== undefined,
    );
    if (alone !== undefined) throw usageError(`${alone[0]} is for a consumer with a groupId`);
    return null;
  }
  for (const [name, value] of Object.entries({ groupId, memberId }))
    if (value !== undefined && (typeof value !== "string" || value === ""))
      throw usageError(`${name} is ${shownValue(value)}; expected a name`);
  if (assignor !== undefined && !ASSIGNORS.includes(assignor))
    throw usageError(`assignor is ${String(assignor)}; expected ${ASSIGNORS.join(", ")}`);
  const isAuto = session.clock.mode === "auto";
  return {
    groupId,
    memberId: memberId ?? newMemberId(),
    assignor,
    ...timeouts(options),
    autoHeartbeat: options.autoHeartbeat ?? isAuto,
    autoCommit: options.autoCommit ?? isAuto,
    autoCommitIntervalMs: checkedTimeMs(
      "autoCommitIntervalMs",
      options.autoCommitIntervalMs ?? LIMITS.autoCommitIntervalMs,
      1,
    ),
    onRebalance: onRebalance ?? null,
  };
}

function timeouts({ sessionTimeoutMs, rebalanceTimeoutMs, heartbeatIntervalMs }: GroupOptions) {
  if (sessionTimeoutMs !== undefined)
    checkedInteger("sessionTimeoutMs", sessionTimeoutMs, 1, LIMITS.sessionTimeoutMsMax);
  if (rebalanceTimeoutMs !== undefined)
    checkedInteger("rebalanceTimeoutMs", rebalanceTimeoutMs, 1, LIMITS.rebalanceTimeoutMsMax);
  if (heartbeatIntervalMs !== undefined) {
    const session = sessionTimeoutMs ?? LIMITS.sessionTimeoutMsMax;
    const most = Math.max(1, Math.floor(session / LIMITS.heartbeatsPerSession));
    checkedInteger("heartbeatIntervalMs", heartbeatIntervalMs, 1, most);
  }
  return {
    sessionTimeoutMs,
    rebalanceTimeoutMs,
    heartbeatIntervalMs: heartbeatIntervalMs ?? LIMITS.heartbeatIntervalMs,
  };
}

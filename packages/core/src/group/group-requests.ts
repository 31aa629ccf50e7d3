/** What is asked of groups, and what of it can be refused without knowing the group. */
import { characterCount } from "../character-count.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { ASSIGNORS, type AssignorName } from "./assignors/assignor.ts";
import type { GroupConfig } from "./group-config.ts";
import type { Joining, OwnedPartition } from "./group-events.ts";

export interface MemberRequest {
  readonly groupId: string;
  readonly memberId: string;
}

export interface JoinRequest extends MemberRequest {
  /** What to read; a topic may come later. */
  readonly topics: readonly string[];
  readonly assignor: AssignorName;
  /** A member that is silent for so long may be expired. Kafka: session.timeout.ms. Default: the cluster's. */
  readonly sessionTimeoutMs?: number | undefined;
  /** So long a member may take to let a partition go. Kafka: rebalance.timeout.ms, max.poll.interval.ms. Default: the cluster's. */
  readonly rebalanceTimeoutMs?: number | undefined;
}

export interface HeartbeatRequest extends MemberRequest {
  readonly generation: number;
  /** Every partition that the member has; left out, nothing is let go. */
  readonly owned?: readonly OwnedPartition[] | undefined;
}

/** A partition and which topic of that name it belongs to. Kafka: TopicPartitions of ConsumerGroupHeartbeat (KIP-848). */
export interface AssignedPartition extends TopicPartition {
  readonly topicId: string;
}

/** What a member is told. */
export interface MemberView {
  readonly generation: number;
  /**
   * The generation that began when it joined. When it is another one than before, the member was expired in between, without
   * hearing of it: what it had then may be somebody else's, though it is a member again.
   */
  readonly memberSince: number;
  /** What it may own now. */
  readonly assignment: readonly AssignedPartition[];
  /** What it gets once its former owners have let go, or are expired. */
  readonly pending: readonly AssignedPartition[];
}

/** What a member is told when it joins: which timeouts hold, besides. */
export interface JoinView extends MemberView {
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

export type GroupTimeouts = Pick<GroupConfig, "groupSessionTimeoutMs" | "groupRebalanceTimeoutMs">;

/** Throws INVALID_REQUEST, INVALID_GROUP_ID. */
export function joiningOf(request: JoinRequest, defaults: GroupTimeouts): Joining {
  const { memberId, topics, assignor } = request;
  const { sessionTimeoutMs = defaults.groupSessionTimeoutMs } = request;
  const { rebalanceTimeoutMs = defaults.groupRebalanceTimeoutMs } = request;
  requireMember(request);
  requireTopics(topics);
  if (!ASSIGNORS.includes(assignor))
    throw invalid(`assignor is ${assignor}; expected ${ASSIGNORS.join(", ")}`);
  requireTimeout("session_timeout_ms", sessionTimeoutMs, LIMITS.groupSessionTimeoutMsMax);
  requireTimeout("rebalance_timeout_ms", rebalanceTimeoutMs, LIMITS.groupRebalanceTimeoutMsMax);
  return { memberId, topics, assignor, sessionTimeoutMs, rebalanceTimeoutMs };
}

/** Throws INVALID_REQUEST, INVALID_GROUP_ID. */
export function requireMember({ groupId, memberId }: MemberRequest): void {
  requireGroupId(groupId);
  requireName("member_id", memberId, LIMITS.memberNameLengthMax);
}

/** Throws INVALID_GROUP_ID: it stands in records, which are text. Kafka refuses the empty one alone. */
export function requireGroupId(groupId: string): void {
  const problem = nameProblem("group_id", groupId, LIMITS.groupNameLengthMax);
  if (problem !== null) throw new BrokerError("INVALID_GROUP_ID", problem);
}

function requireTopics(topics: readonly string[]): void {
  const { topicsPerMemberMax, topicNameLengthMax } = LIMITS;
  if (topics.length > topicsPerMemberMax)
    throw invalid(`topics names ${topics.length}; expected at most ${topicsPerMemberMax}`);
  for (const topic of topics) requireName("a topic", topic, topicNameLengthMax);
}

/** Enough to know a name by, of which each character may take nine when it is shown. */
const NAME_SHOWN_MAX = 32;

/** Throws INVALID_REQUEST. */
export function requireName(what: string, name: string, lengthMax: number): void {
  const problem = nameProblem(what, name, lengthMax);
  if (problem !== null) throw invalid(problem);
}

/** Names stand in records, which are text: half a character would come back as another name. */
export function nameProblem(what: string, name: string, lengthMax: number): string | null {
  const length = characterCount(name);
  if (length >= 1 && length <= lengthMax && name.isWellFormed()) return null;
  return `${what} is ${quoted(name, NAME_SHOWN_MAX)}, ${length} characters; expected 1 to ${lengthMax} of well-formed text`;
}

function requireTimeout(what: string, timeoutMs: number, max: number): void {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= max) return;
  throw invalid(`${what} is ${timeoutMs}; expected a whole number, 1 to ${max}`);
}

function invalid(message: string): BrokerError {
  return new BrokerError("INVALID_REQUEST", message);
}

/** What can happen to a group. */
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { AssignorName } from "./assignors/assignor.ts";
import type { Group } from "./group-state.ts";

/** What a member asks for when it joins, or joins again. */
export interface Joining {
  readonly memberId: string;
  readonly topics: readonly string[];
  readonly assignor: AssignorName;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

export type ExpiryCause = "session_timeout" | "rebalance_timeout";

export interface Expiry {
  readonly memberId: string;
  readonly cause: ExpiryCause;
  /** The timeout that it was too late for. */
  readonly timeoutMs: number;
}

export interface ExpiredMember {
  readonly groupId: string;
  readonly memberId: string;
  readonly cause: ExpiryCause;
}

/** A group that loses nobody and goes on otherwise, since its topics are others than they were or a wait of it is over. */
export interface Rebalanced {
  readonly groupId: string;
  readonly reason: string;
}

interface OfMember {
  readonly memberId: string;
}
interface InGeneration extends OfMember {
  readonly generation: number;
}

/** What a member says that it has, and of which topic of that name, if it says so. */
export interface OwnedPartition extends TopicPartition {
  readonly topicId?: string | undefined;
}

export type GroupEvent =
  | ({ readonly kind: "join" | "rejoin" | "resubscribe" } & Joining)
  | ({ readonly kind: "heartbeat" } & InGeneration)
  /** A heartbeat that says what the member has. */
  | ({ readonly kind: "release"; readonly owned: readonly OwnedPartition[] } & InGeneration)
  | ({ readonly kind: "leave" } & OfMember)
  | { readonly kind: "expire"; readonly expired: readonly Expiry[] }
  | { readonly kind: "topics_changed" }
  | { readonly kind: "delete" };

export type GroupEventKind = GroupEvent["kind"];

/** The event that `joining` is for this group. */
export function joinEvent(
  group: Group,
  joining: Joining,
): GroupEvent & { readonly kind: "join" | "rejoin" | "resubscribe" } {
  const member = group.members.get(joining.memberId);
  if (member === undefined) return { kind: "join", ...joining };
  const asked = new Set(joining.topics);
  const isSame =
    joining.assignor === group.assignor &&
    asked.size === member.topics.length &&
    member.topics.every((topic) => asked.has(topic));
  return { kind: isSame ? "rejoin" : "resubscribe", ...joining };
}

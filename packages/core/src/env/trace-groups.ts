/** What happened to consumer groups and their offsets, told once the change is acknowledged. A part of TraceEvent (trace.ts). */

/** What a member of a group may own, waits for, and has still to let go; each partition by its name. */
export interface MemberShare {
  readonly memberId: string;
  readonly assignment: readonly string[];
  readonly pending: readonly string[];
  readonly revoking: readonly string[];
}

/** Where a group goes on reading. */
export interface GroupOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

type OnGroup<Kind extends string, Facts> = {
  readonly kind: Kind;
  readonly groupId: string;
} & Readonly<Facts>;
export type GroupTraceEvent =
  | OnGroup<
      "member_joined",
      { memberId: string; generation: number; topics: readonly string[]; assignor: string; members: number }
    >
  | OnGroup<"member_left", { memberId: string; generation: number; members: number }>
  | OnGroup<
      "member_expired",
      {
        memberId: string;
        generation: number;
        cause: "session_timeout" | "rebalance_timeout";
        timeoutMs: number;
        members: number;
      }
    >
  | OnGroup<
      "generation_started",
      {
        generation: number;
        reason: string;
        rebalance: string;
        state: string;
        members: readonly MemberShare[];
      }
    >
  | OnGroup<
      "partitions_released",
      {
        memberId: string;
        generation: number;
        released: readonly string[];
        state: string;
        members: readonly MemberShare[];
      }
    >
  | OnGroup<"member_id_given", { memberId: string; clientId: string }>
  | OnGroup<
      "classic_member_joined",
      {
        memberId: string;
        instanceId: string | null;
        clientId: string;
        generation: number;
        protocols: readonly string[];
        members: number;
      }
    >
  | OnGroup<
      "static_member_replaced",
      { instanceId: string; memberId: string; replacedId: string; generation: number }
    >
  | OnGroup<
      "classic_group_moved",
      {
        from: string;
        to: string;
        generation: number;
        reason: string;
        protocol: string | null;
        leaderId: string | null;
        members: readonly string[];
      }
    >
  | OnGroup<"group_deleted", { generation: number }>
  | OnGroup<
      "offsets_committed",
      {
        memberId: string | null;
        generation: number | null;
        offsets: readonly GroupOffset[];
      }
    >
  | OnGroup<
      "offsets_staged",
      {
        memberId: string | null;
        generation: number | null;
        producerId: number;
        producerEpoch: number;
        offsets: readonly GroupOffset[];
      }
    >
  | OnGroup<"offsets_deleted", { offsets: readonly GroupOffset[] }>
  | OnGroup<
      "offsets_expired",
      {
        retentionMs: number;
        offsets: readonly (GroupOffset & {
          readonly committedMs: number;
          readonly reason: "retention" | "topic_gone";
        })[];
      }
    >;

/** What happens to consumer groups: kind, meaning, and the facts. `members` are those after the event, or how many they are. */
export const GROUP_EVENTS = {
  member_joined: [
    "A group has a new member, or one that subscribes to other topics.",
    "group_id:text member_id:text generation topics:texts assignor:text members",
  ],
  member_left: ["A member left its group.", "group_id:text member_id:text generation members"],
  member_expired: [
    "A member was silent, or held a partition back, for too long.",
    "group_id:text member_id:text generation cause:text timeout_ms members",
  ],
  generation_started: [
    "A group shares its partitions out anew; `members` has each one's share.",
    "group_id:text generation reason:text rebalance:text state:text members:shares",
  ],
  partitions_released: [
    "A member let go of partitions, which went to whoever they were meant for.",
    "group_id:text member_id:text generation released:texts state:text members:shares",
  ],
  member_id_given: [
    "A client that joins a classic group without a member's id was given one, to join with (KIP-394).",
    "group_id:text member_id:text client_id:text",
  ],
  classic_member_joined: [
    "A classic group has a new member, or one that joins again.",
    "group_id:text member_id:text instance_id:text? client_id:text generation protocols:texts members",
  ],
  static_member_replaced: [
    "A static member came back without its id, and has taken its own place under a new one (KIP-345).",
    "group_id:text instance_id:text member_id:text replaced_id:text generation",
  ],
  classic_group_moved: [
    "A classic group is in another state, or in its next generation.",
    "group_id:text from:text to:text generation reason:text protocol:text? leader_id:text? members:texts",
  ],
  group_deleted: ["A group is gone, with what it had committed.", "group_id:text generation"],
  offsets_committed: [
    "A group's offsets were committed, by a member, by a transaction's end or by nobody in particular.",
    "group_id:text member_id:text? generation? offsets:offsets",
  ],
  offsets_staged: [
    "A transaction has offsets of a group, which are committed when it commits.",
    "group_id:text member_id:text? generation? producer_id producer_epoch offsets:offsets",
  ],
  offsets_deleted: ["Single offsets of a group were deleted.", "group_id:text offsets:offsets"],
  offsets_expired: [
    "A group's offsets were forgotten: their time was over, or their topic is gone.",
    "group_id:text retention_ms offsets:offsets",
  ],
} as const satisfies { readonly [kind: string]: readonly [meaning: string, facts: string] };

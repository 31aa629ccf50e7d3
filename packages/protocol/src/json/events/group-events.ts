/** What happens to consumer groups: kind, meaning, and the facts. `members` are those after the event, or how many they are. */
export const GROUP_EVENTS = {
  member_joined: [
    "A group has a new member, or one that subscribes to other topics.",
    "group_id member_id generation topics assignor members",
  ],
  member_left: ["A member left its group.", "group_id member_id generation members"],
  member_expired: [
    "A member was silent, or held a partition back, for too long.",
    "group_id member_id generation cause timeout_ms members",
  ],
  generation_started: [
    "A group shares its partitions out anew; `members` has each one's share.",
    "group_id generation reason rebalance state members",
  ],
  partitions_released: [
    "A member let go of partitions, which went to whoever they were meant for.",
    "group_id member_id generation released state members",
  ],
  group_deleted: ["A group is gone, with what it had committed.", "group_id generation"],
  offsets_committed: [
    "A group's offsets were committed, by a member or by nobody in particular.",
    "group_id member_id generation offsets",
  ],
  offsets_expired: [
    "A group's offsets were forgotten: their time was over, or their topic is gone.",
    "group_id retention_ms offsets",
  ],
} as const satisfies { readonly [kind: string]: readonly [meaning: string, facts: string] };

/** Whose offsets a transaction commits: those of a consumer, or what the caller says by hand. */
import { shownValue } from "@minikafka/record";
import { checkOffsets, type OffsetToCommit } from "../../consumer/group/offset-commits.ts";
import {
  type OffsetSender,
  SEND_POSITIONS,
  type TransactionalConsumer,
} from "../../consumer/group/transactional-offsets.ts";
import { requireKnown, usageError } from "../../usage.ts";

/** Offsets of a group. The group's rules are those of a commit. */
export interface GroupOffsets {
  readonly groupId: string;
  /** Whoever reads the partitions; left out for a group without members. */
  readonly member?: { readonly memberId: string; readonly generation: number } | undefined;
  readonly offsets: readonly OffsetToCommit[];
}

/** A consumer, all of whose positions are meant, or offsets by hand. */
export type OffsetSource = TransactionalConsumer | GroupOffsets;

/** Throws USAGE for what is neither, before anything is sent. */
export async function sendFrom(source: OffsetSource, sender: OffsetSender): Promise<void> {
  if (typeof source !== "object" || source === null)
    throw usageError("sendOffsets takes a consumer, or { groupId, member?, offsets }");
  if (SEND_POSITIONS in source) {
    await source[SEND_POSITIONS](sender);
    return;
  }
  const { groupId, member, offsets } = checked(source);
  if (offsets.length > 0) await sender.send(groupId, member ?? null, offsets);
}

function checked(source: GroupOffsets): GroupOffsets {
  requireKnown("sendOffsets", source, ["groupId", "member", "offsets"]);
  const { groupId, offsets } = source;
  if (typeof groupId !== "string" || groupId === "")
    throw usageError(`groupId is ${shownValue(groupId)}; expected a name`);
  checkOffsets(offsets);
  return source;
}

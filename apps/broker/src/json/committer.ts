/** Who commits which offsets: what commit_offsets and send_offsets are asked alike. */
import { BrokerError } from "@minikafka/core";
import type { ParsedRequest } from "@minikafka/protocol";

type CommitFields = Pick<ParsedRequest<"commit_offsets">, "member_id" | "generation" | "offsets">;

/** `null` for nobody in particular. Throws INVALID_REQUEST. */
export function committerOf({ member_id: memberId, generation }: Omit<CommitFields, "offsets">) {
  if (memberId === undefined && generation === undefined) return null;
  if (memberId !== undefined && generation !== undefined) return { memberId, generation };
  throw new BrokerError("INVALID_REQUEST", "member_id and generation: expected both or neither");
}

export function offsetsOf({ offsets }: Pick<CommitFields, "offsets">) {
  return offsets.map(({ topic_id: topicId, ...offset }) => ({ ...offset, topicId }));
}

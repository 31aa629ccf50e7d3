/** Before an offset is committed by hand: a group's members go on from their own positions, and would not hear of it. */
import { CliError, failureOf } from "../failure.ts";
import type { Session } from "../session.ts";

/** Throws GROUP_NOT_EMPTY. A group that nobody knows has no members. */
export async function requireEmpty(session: Session, group: string): Promise<void> {
  try {
    const { members } = await session.call("describe_group", { group_id: group });
    if (members.length === 0) return;
    const counted = members.length === 1 ? "a member" : `${members.length} members`;
    const message = `the group ${group} has ${counted}, and only members may commit then; expected none`;
    throw new CliError("GROUP_NOT_EMPTY", message, { details: { members: members.length } });
  } catch (error) {
    if (failureOf(error).code !== "UNKNOWN_GROUP") throw error;
  }
}

/** What a command that deletes would delete. Nothing is changed, and what would be refused is refused, as far as it can be seen from here. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { counted } from "../log/sizes-text.ts";
import { printable } from "../output/printable.ts";
import type { Session } from "../session.ts";
import { viewsOf } from "../topic-description.ts";

export const DRY_RUN_HELP = "delete nothing, and print what would be deleted";

/** Throws UNKNOWN_TOPIC. */
export async function showTopicDeletion(context: Context, session: Session, topic: string): Promise<void> {
  const views = await viewsOf(session, topic);
  const partitions = views.length;
  const lengths = views.map(({ inside }) =>
    inside.log_end_offset === null || inside.log_start_offset === null
      ? null
      : inside.log_end_offset - inside.log_start_offset,
  );
  const offsets = lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0);
  const unread = lengths.filter((length) => length === null).length;
  if (context.settings.json) {
    await context.data.json({ topic, deleted: false, dry_run: true, partitions, offsets, unread });
    return;
  }
  const others = unread === 0 ? "" : `, and what ${counted(unread, "partition")} without a leader may hold`;
  await context.data.line(
    `would delete topic ${topic}: ${counted(partitions, "partition")}, ${counted(offsets, "offset")}${others}`,
  );
}

/** `before` is -1 for the high watermark. */
export interface Trim {
  readonly topic: string;
  readonly partition: number;
  readonly before: number;
}

/** Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, POLICY_VIOLATION, LEADER_NOT_AVAILABLE, OFFSET_OUT_OF_RANGE. */
export async function showTrim(
  context: Context,
  session: Session,
  { topic, partition, before }: Trim,
): Promise<void> {
  await requireDeletable(session, topic);
  const inside = await session.call("describe_partition", { topic, partition });
  const { log_start_offset: start, high_watermark: end } = inside;
  if (inside.leader_id === null || start === null || end === null)
    throw new CliError("LEADER_NOT_AVAILABLE", `nobody leads ${topic} [${partition}]`, {
      details: { topic, partition },
    });
  if (before > end)
    throw new CliError(
      "OFFSET_OUT_OF_RANGE",
      `offset ${before} is past the high watermark of ${topic} [${partition}]; expected ${end} at most`,
      { details: { topic, partition } },
    );
  const first = Math.max(start, before === -1 ? end : before);
  if (context.settings.json) {
    const offsets = first - start;
    await context.data.json({ topic, partition, dry_run: true, log_start_offset: first, offsets });
  } else
    await context.data.line(
      first === start
        ? `${topic} [${partition}] begins at offset ${start}: nothing would be deleted`
        : `would delete offsets ${start} to ${first - 1} of ${topic} [${partition}]`,
    );
}

async function requireDeletable(session: Session, topic: string): Promise<void> {
  const { config } = await session.call("describe_config", { topic });
  const policy = config.find(({ name }) => name === "cleanup_policy")?.value;
  if (policy !== "compact") return;
  throw new CliError(
    "POLICY_VIOLATION",
    `the cleanup_policy of "${topic}" is compact; expected one with delete, so that records may be deleted`,
    { details: { topic } },
  );
}

/** Throws UNKNOWN_GROUP, GROUP_NOT_EMPTY. */
export async function showGroupDeletion(context: Context, session: Session, group: string): Promise<void> {
  const { members } = await session.call("describe_group", { group_id: group });
  if (members.length > 0)
    throw new CliError(
      "GROUP_NOT_EMPTY",
      `the group ${printable(group)} has ${counted(members.length, "member")}; expected none`,
      { details: { members: members.length } },
    );
  const { offsets } = await session.call("fetch_offsets", { group_id: group });
  if (context.settings.json)
    await context.data.json({ group_id: group, deleted: false, dry_run: true, offsets });
  else await context.data.line(`would delete group ${group}: ${counted(offsets.length, "committed offset")}`);
}

/** The work of `groups seek`: looks at the partitions, plans, and commits when it is told to. */
import type { Admin } from "@minikafka/client";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import type { PartitionSpec } from "../input/partition-spec.ts";
import { counted } from "../log/sizes-text.ts";
import { renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";
import { type CommittedPlace, committedPlaces } from "./committed-places.ts";
import { requireEmpty } from "./require-empty.ts";
import { type PlannedSeek, plannedSeek, type SeekPlace, type SeekTarget } from "./seek-plan.ts";

export interface SeekRequest {
  readonly group: string;
  readonly target: SeekTarget;
  /** Everything that the group has committed when not given. */
  readonly places: readonly PartitionSpec[] | undefined;
  readonly execute: boolean;
}

/** Throws GROUP_NOT_EMPTY, NOT_FOUND when there is nothing to seek in, UNKNOWN_TOPIC, UNKNOWN_PARTITION. */
export function seekGroup(context: Context, request: SeekRequest): Promise<undefined> {
  const { group, target, execute } = request;
  return withSession(context, async (session) => {
    await requireEmpty(session, group);
    const committed = await committedPlaces(session, group, request.places);
    if (committed.length === 0)
      throw new CliError(
        "NOT_FOUND",
        `the group ${group} has committed nothing, so there is nothing to seek in`,
        {
          hint: "--topic TOPIC names partitions to begin with",
        },
      );
    const admin = session.client.admin();
    const places = await Promise.all(
      committed.map((place) => boundsOf(admin, place, target, context.interrupted)),
    );
    const plan = places.map((place) => plannedSeek(place, target));
    if (execute) {
      const offsets = plan.map(({ topic, partition, newOffset: offset }) => ({ topic, partition, offset }));
      await session.call("commit_offsets", { group_id: group, offsets });
    }
    await show(context, request, plan);
    return undefined;
  });
}

async function boundsOf(
  admin: Admin,
  { topic, partition, offset: committed }: CommittedPlace,
  target: SeekTarget,
  signal: AbortSignal,
): Promise<SeekPlace> {
  const ask = async (at: "earliest" | "latest" | { readonly timestampMs: number }) =>
    (await admin.listOffsets({ topic, partition, at }, { signal })).offset;
  const [start, end, atTime] = await Promise.all([
    ask("earliest"),
    ask("latest"),
    target.kind === "time" ? ask({ timestampMs: target.timestampMs }) : null,
  ]);
  return { topic, partition, committed, start: start ?? 0, end: end ?? 0, atTime };
}

async function show(
  context: Context,
  { group, execute }: SeekRequest,
  plan: readonly PlannedSeek[],
): Promise<void> {
  if (context.settings.json) {
    const offsets = plan.map(({ topic, partition, oldOffset, newOffset }) => ({
      topic,
      partition,
      old_offset: oldOffset,
      new_offset: newOffset,
    }));
    return context.data.json({ group_id: group, executed: execute, offsets });
  }
  const rows = plan.map((each) => [group, each.topic, each.partition, each.oldOffset, each.newOffset]);
  await context.data.write(renderTable(["GROUP", "TOPIC", "PARTITION", "OLD-OFFSET", "NEW-OFFSET"], rows));
  for (const { topic, partition, asked, newOffset } of plan)
    if (asked !== null)
      context.notes.remark(`${topic} [${partition}] has no offset ${asked}; the nearest is ${newOffset}`);
  if (execute) context.notes.remark(`${group} goes on from there in ${counted(plan.length, "partition")}`);
  else context.notes.remark("nothing was changed; --execute does it");
}

/** `step expire-members` and `step expire-offsets`: what time does to groups. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";
import { loadedText } from "../steps/step-text.ts";

/** Returns the commands, for their shared options. */
export function declareGroupSteps(step: Command, perform: Perform): Command[] {
  const members = step
    .command("expire-members")
    .summary("end the membership of who was silent, or held a partition back, for too long")
    .description(
      "Ends the membership of who was silent for longer than its session timeout, or held a partition back for longer than its rebalance timeout.",
    )
    .action((_options: unknown, self: Command) => perform(self, expireMembers));
  const offsets = step
    .command("expire-offsets")
    .summary("forget old offsets of groups without members")
    .description("Forgets what groups without members committed longer ago than offsets are kept, a week.")
    .action((_options: unknown, self: Command) => perform(self, expireOffsets));
  return [members, offsets];
}

function expireMembers(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const answer = await session.call("expire_members", {});
    const rows = answer.expired.map(({ group_id, member_id, cause }): Cell[] => [group_id, member_id, cause]);
    await show(context, { answer, headers: ["GROUP", "CONSUMER-ID", "CAUSE"], rows });
    const { rebalanced, loaded } = answer;
    if (context.settings.json) return undefined;
    for (const { group_id: group, reason } of rebalanced)
      context.notes.remark(`${group} was rebalanced: ${reason}`);
    tellLoads(context, loaded);
    if (rows.length + rebalanced.length + loaded.length === 0)
      context.notes.remark("every member was heard of within its session");
    return undefined;
  });
}

function expireOffsets(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const answer = await session.call("expire_offsets", {});
    const rows = answer.expired.map(({ group_id, topic, partition }): Cell[] => [group_id, topic, partition]);
    await show(context, { answer, headers: ["GROUP", "TOPIC", "PARTITION"], rows });
    const { dying, forgotten, loaded } = answer;
    if (context.settings.json) return undefined;
    for (const group of dying) context.notes.remark(`${group} has ended: nothing is left of it`);
    for (const group of forgotten) context.notes.remark(`${group} was forgotten`);
    tellLoads(context, loaded);
    if (rows.length + dying.length + forgotten.length + loaded.length === 0)
      context.notes.remark("nothing was due; only groups without members lose offsets");
    return undefined;
  });
}

/** What a step has read into memory, to have a look at it. */
export function tellLoads(context: Context, loaded: readonly { readonly topic: string }[]): void {
  for (const text of loadedText(loaded)) context.notes.remark(text);
}

interface Shown {
  readonly answer: object;
  readonly headers: readonly string[];
  readonly rows: readonly Cell[][];
}

function show(context: Context, { answer, headers, rows }: Shown): Promise<void> {
  return context.settings.json ? context.data.json(answer) : context.data.write(renderTable(headers, rows));
}

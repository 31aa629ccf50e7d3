/** The work of `groups wait`: looks again and again, and says in the end what was missing. */
import type { ClientClock, GroupPartitionLag, TopicPartition } from "@minikafka/client";
import type { ParsedResponse } from "@minikafka/protocol";
import type { Context } from "../context.ts";
import { CliError, failureOf, Interrupted } from "../failure.ts";
import { type HeldUp, heldUpAmong, heldUpText } from "../fetch/held-up.ts";
import { brokerText } from "../input/arguments.ts";
import { type Session, withSession } from "../session.ts";

export interface WaitOptions {
  readonly state?: GroupState;
  readonly members?: number;
  readonly drained?: true;
}

type Described = ParsedResponse<"describe_group">;
export type GroupState = Described["state"];

/** One look at a group. */
export interface GroupLook {
  /** `null`: there is no such group. */
  readonly group: Pick<Described, "state" | "generation" | "members"> | null;
  /** Looked at only where it matters. */
  readonly partitions: readonly GroupPartitionLag[];
}

const TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 100;
/** One look gets so long, also where the wait is shorter, so that it is known what is missing. */
const LOOK_MS_MIN = 1_000;
/** Partitions that are named as missing. */
const NAMED_MAX = 3;

/** Throws TIMEOUT, which says what is missing. */
export function waitForGroup(context: Context, name: string, options: WaitOptions): Promise<undefined> {
  const timeoutMs = context.settings.timeoutMs ?? TIMEOUT_MS;
  const { state, members, drained } = options;
  const wanted: WaitOptions =
    state === undefined && members === undefined && drained === undefined ? { state: "stable" } : options;
  const waited = async (session: Session) => {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const { look, missing } = await lookAt(context, session, name, wanted);
      if (missing === null) {
        await show(context, name, look);
        return undefined;
      }
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0)
        throw new CliError(
          "TIMEOUT",
          `the group ${name} at ${brokerText(context.settings.broker().address)} is not as expected after ${timeoutMs} ms: ${missing}`,
          {
            hint: hintFor(name, await openAmong(context, session, behindIn(look))),
          },
        );
      await pause(session.client.clock, Math.min(LOOK_EVERY_MS, leftMs), context.interrupted);
    }
  };
  return withSession(context, waited, Math.max(timeoutMs, LOOK_MS_MIN));
}

async function openAmong(
  { interrupted }: Context,
  { client }: Session,
  places: readonly TopicPartition[],
): Promise<readonly HeldUp[]> {
  const held = await heldUpAmong(client.admin(), places, "read_committed", interrupted);
  return held.filter(({ by }) => by === "transaction");
}

/** Who reads committed records alone cannot pass what is open, and no rebalance explains that. */
export function hintFor(name: string, [first, ...others]: readonly HeldUp[]): string {
  if (first === undefined)
    return `--timeout 60s waits longer; minikafka-cli groups describe ${name} --state shows why it was rebalanced last`;
  return (
    `a transaction that is open holds up readers of committed records (${heldUpText([first, ...others])}): ` +
    `minikafka-cli tx list --state ongoing shows whose, minikafka-cli describe ${first.topic} -p ${first.partition} where`
  );
}

/** Rejects when the user interrupts. */
function pause(clock: ClientClock, delayMs: number, interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(new Interrupted());
    };
    const cancel = clock.after(delayMs, () => {
      interrupted.removeEventListener("abort", abort);
      resolve();
    });
    interrupted.addEventListener("abort", abort);
  });
}

interface Looked {
  readonly look: GroupLook;
  readonly missing: string | null;
}

/** What may mend itself is one more thing that is missing. */
async function lookAt(
  context: Context,
  session: Session,
  name: string,
  wanted: WaitOptions,
): Promise<Looked> {
  const none = { group: null, partitions: [] };
  try {
    const group = await session.call("describe_group", { group_id: name });
    const partitions =
      wanted.drained === true
        ? await session.client.admin().groupLag(name, { signal: context.interrupted })
        : [];
    const look = { group, partitions };
    return { look, missing: missingIn(look, wanted) };
  } catch (error) {
    const { code, message, retriable } = failureOf(error);
    if (code === "UNKNOWN_GROUP") return { look: none, missing: missingIn(none, wanted) };
    if (context.interrupted.aborted || !retriable) throw error;
    return { look: none, missing: `${code}: ${message}` };
  }
}

/** In words; `null` when nothing is. */
export function missingIn({ group, partitions }: GroupLook, wanted: WaitOptions): string | null {
  if (group === null) return "there is no such group";
  const reasons: string[] = [];
  if (wanted.state !== undefined && group.state !== wanted.state)
    reasons.push(`it is ${group.state} (expected ${wanted.state})`);
  if (wanted.members !== undefined && group.members.length !== wanted.members)
    reasons.push(`it has ${countedMembers(group.members.length)} (expected ${wanted.members})`);
  if (wanted.drained === true) reasons.push(...undrained(partitions));
  return reasons.length === 0 ? null : reasons.join(", ");
}

/** An empty log leaves nothing to commit. */
function behindIn({ partitions }: Pick<GroupLook, "partitions">): GroupPartitionLag[] {
  return partitions.filter(({ lag, committedOffset, endOffset }) =>
    committedOffset === null ? endOffset !== 0 : lag !== 0,
  );
}

function undrained(partitions: readonly GroupPartitionLag[]): string[] {
  if (partitions.length === 0) return ["it has neither committed nor been given a partition"];
  const behind = behindIn({ partitions });
  const named = behind
    .slice(0, NAMED_MAX)
    .map(({ topic, partition, lag, committedOffset, endOffset, error }) => {
      const place = `${topic} [${partition}]`;
      if (error !== null) return `${place} cannot be looked at (${error.code})`;
      if (lag !== null) return `${place} is ${lag} behind`;
      return committedOffset === null
        ? `${place} has records up to ${endOffset} and nothing is committed`
        : `${place} ends at ${endOffset} and ${committedOffset} is committed, so that the next read resets`;
    });
  return behind.length > NAMED_MAX ? [...named, `${behind.length - NAMED_MAX} more are behind`] : named;
}

function show(context: Context, name: string, { group }: GroupLook): Promise<void> {
  const { state, generation, members } = group ?? { state: "empty", generation: 0, members: [] };
  if (context.settings.json)
    return context.data.json({ group_id: name, state, generation, members: members.length });
  const counted = countedMembers(members.length);
  return context.data.line(`the group ${name} is ${state}, with ${counted} in generation ${generation}`);
}

function countedMembers(members: number): string {
  return members === 1 ? "1 member" : `${members} members`;
}

/** The work of `consume`: joins, polls, prints, and leaves with everything committed that was printed. */
import type { Client, Consumer, ConsumerRecord, Rebalance, TopicPartition } from "@minikafka/client";
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";
import { printRecords, requireSome } from "../fetch/fetch.ts";
import { type HeldUp, heldUpAmong, stoppedText } from "../fetch/held-up.ts";
import { ReadPatience } from "../fetch/read-patience.ts";
import { placesText } from "../groups/group-description.ts";
import type { ShownRecord } from "../record.ts";
import { type Session, withSession } from "../session.ts";
import type { ConsumeOptions } from "./consume-options.ts";
import { remarkSlowJoin } from "./join-patience.ts";
import { isRead, type TopicEnds, topicEnds } from "./topic-ends.ts";

export interface ConsumeRequest extends Omit<ConsumeOptions, "format"> {
  readonly topics: readonly string[];
  /** For text; with `-J` records are printed as JSON. */
  readonly format: (record: ShownRecord) => Buffer;
}

const POLL_RECORDS_MAX = 500;
/** After Ctrl-C the process lives for two seconds more: for the last commit, and for the leaving. */
const LAST_COMMIT_MS = 1_000;
const CLOSE_MS = 800;

/** Throws TIMEOUT when `--timeout` was given and nothing came for so long. */
export function consumeRecords(context: Context, request: ConsumeRequest): Promise<undefined> {
  return withSession(context, async (session) => {
    // A name that is mistyped is told at once, though a group may wait for a topic that comes later.
    const ends = await topicEnds(session, request, context.interrupted);
    const consumer = begin(context, session.client, request, ends);
    const { group } = request;
    const hush = group === undefined ? () => {} : remarkSlowJoin(context, session, consumer, group);
    const printed = new Printed();
    try {
      const hasReadAll = await readOn({ context, session, consumer, request, ends, printed });
      if (hasReadAll) {
        const held = await heldUp(context, session, request, consumer);
        context.notes.remark(endText(request, printed.count, held));
      }
      if (group !== undefined && request.commit) await commitAll(context, session.client, consumer, printed);
    } catch (error) {
      // What failed first is what is told.
      await consumer.close({ timeoutMs: CLOSE_MS }).catch(() => {});
      throw error;
    } finally {
      hush();
    }
    await consumer.close({ timeoutMs: CLOSE_MS });
    if (request.failIfEmpty === true && !context.interrupted.aborted)
      requireSome(printed.count, request.topics);
    return undefined;
  });
}

/** Where it ended before all that is there. */
function heldUp(
  context: Context,
  { client }: Session,
  { isolation }: ConsumeRequest,
  consumer: Consumer,
): Promise<readonly HeldUp[]> {
  return heldUpAmong(client.admin(), consumer.assignment, isolation, context.interrupted);
}

function begin(context: Context, client: Client, request: ConsumeRequest, ends: TopicEnds): Consumer {
  const { group: groupId, topics, offset, commit: autoCommit, isolation } = request;
  if (groupId === undefined) {
    const consumer = client.consumer({ autoOffsetReset: offset ?? "latest", isolation });
    const from = offset === "earliest" ? "beginning" : null;
    consumer.assign(ends.map(({ end, ...place }) => ({ ...place, offset: from ?? end })));
    return consumer;
  }
  const { assignor, member: memberId, sessionTimeout: sessionTimeoutMs } = request;
  const onRebalance = tellerOfRebalances(context);
  const autoOffsetReset = offset ?? "earliest";
  const member = { groupId, memberId, assignor, sessionTimeoutMs, autoCommit, onRebalance };
  const consumer = client.consumer({ ...member, autoOffsetReset, isolation });
  // What it is refused with is the next poll's error.
  void consumer.subscribe(topics);
  return consumer;
}

/** A change names what is new alone: beside what the member keeps, that is what it reads also. */
function tellerOfRebalances({ notes }: Context): (rebalance: Rebalance) => void {
  let heldCount = 0;
  return ({ generation, assigned, revoked, lost }) => {
    const keptCount = heldCount - revoked.length - lost.length;
    heldCount = keptCount + assigned.length;
    const parts = [
      assigned.length > 0 ? `${keptCount > 0 ? "now also reads" : "reads"} ${placesText(assigned)}` : null,
      revoked.length > 0 ? `lets go of ${placesText(revoked)}` : null,
      lost.length > 0 ? `has lost ${placesText(lost)}, since its session was over` : null,
    ].filter((part) => part !== null);
    notes.remark(`generation ${generation}: this member ${parts.join(" and ")}`);
  };
}

interface Work {
  readonly context: Context;
  readonly session: Session;
  readonly consumer: Consumer;
  readonly request: ConsumeRequest;
  readonly ends: TopicEnds;
  readonly printed: Printed;
}

/** What a run has printed: how much, and from which partitions. */
class Printed {
  count = 0;
  readonly #places = new Map<string, TopicPartition>();

  add(records: readonly ConsumerRecord[]): void {
    this.count += records.length;
    for (const { topic, partition } of records)
      this.#places.set(`${topic}:${partition}`, { topic, partition });
  }

  /** `orders(0,2)`; empty for nothing. */
  get placesText(): string {
    return placesText([...this.#places.values()]);
  }
}

/** Who began at the end and found nothing there wanted, most likely, what lies before it. */
function endText({ topics, group, offset }: ConsumeRequest, count: number, held: readonly HeldUp[]): string {
  const records = count === 1 ? "1 record" : `${count} records`;
  if (held.length > 0) return stoppedText(held, records);
  const reached = `reached the end of ${topics.join(", ")}: ${records}`;
  if (count > 0 || offset === "earliest") return reached;
  return group === undefined
    ? `${reached}; without -g it begins there, and -o earliest reads what is before it`
    : `${reached} that the group has not read`;
}

/**
 * Until there is enough, or the user interrupts. Everything that was handed out was printed when it resolves, with whether it
 * was all that -e asked for.
 */
async function readOn({ context, session, consumer, request, ends, printed }: Work): Promise<boolean> {
  const { interrupted: signal } = context;
  const patience = new ReadPatience(context);
  let left = request.count ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    let records: readonly ConsumerRecord[];
    try {
      if (request.exit === true && (await isRead(consumer, ends, signal))) return true;
      const maxRecords = Math.min(left, POLL_RECORDS_MAX);
      records = await consumer.poll({ maxRecords, timeoutMs: patience.pollMs, signal });
    } catch (error) {
      if (signal.aborted) return false;
      const failure = failureOf(error);
      if (!failure.retriable) throw error;
      patience.failed(error, failure);
      continue;
    }
    patience.polled(records.length, session.client.isConnected);
    await printRecords(context, request.format, records);
    printed.add(records);
    left -= records.length;
  }
  return false;
}

/** Who counted records is to know that they come again; who interrupts is told, and not kept waiting for it. */
async function commitAll(
  { interrupted, notes }: Context,
  { clock }: Client,
  consumer: Consumer,
  printed: Printed,
): Promise<void> {
  if (!interrupted.aborted) return consumer.commit();
  const committed = consumer.commit().then(
    () => null,
    (error: unknown) => failureOf(error).code,
  );
  let cancel = () => {};
  const late = new Promise<string>((resolve) => {
    cancel = clock.after(LAST_COMMIT_MS, () => resolve("no answer"));
  });
  const problem = await Promise.race([committed, late]);
  cancel();
  if (problem === null || printed.count === 0) return;
  notes.remark(
    `the last records were not committed (${problem}; of ${printed.placesText}) and may come again`,
  );
}

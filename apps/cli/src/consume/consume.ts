/** The work of `consume`: joins, polls, prints, and leaves with everything committed that was printed. */
import type { Client, Consumer, ConsumerRecord, Rebalance } from "@minikafka/client";
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";
import { printRecords } from "../fetch/fetch.ts";
import { ReadPatience } from "../fetch/read-patience.ts";
import { placesText } from "../groups/group-description.ts";
import type { ShownRecord } from "../record.ts";
import { type Session, withSession } from "../session.ts";
import type { ConsumeOptions } from "./consume-options.ts";
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
    const ends = await topicEnds(session, request.topics, context.interrupted);
    const consumer = begin(context, session.client, request, ends);
    try {
      await readOn({ context, session, consumer, request, ends });
      if (request.group !== undefined && request.commit) await commitAll(context, session.client, consumer);
    } finally {
      await consumer.close({ timeoutMs: CLOSE_MS });
    }
    return undefined;
  });
}

function begin(context: Context, client: Client, request: ConsumeRequest, ends: TopicEnds): Consumer {
  const { group: groupId, topics, offset, commit: autoCommit } = request;
  if (groupId === undefined) {
    const consumer = client.consumer({ autoOffsetReset: offset ?? "latest" });
    const from = offset === "earliest" ? "beginning" : null;
    consumer.assign(ends.map(({ end, ...place }) => ({ ...place, offset: from ?? end })));
    return consumer;
  }
  const { assignor, member: memberId, sessionTimeout: sessionTimeoutMs } = request;
  const onRebalance = (rebalance: Rebalance) => tell(context, rebalance);
  const autoOffsetReset = offset ?? "earliest";
  const options = { groupId, memberId, assignor, sessionTimeoutMs, autoCommit, autoOffsetReset, onRebalance };
  const consumer = client.consumer(options);
  // What it is refused with is the next poll's error.
  void consumer.subscribe(topics);
  return consumer;
}

function tell({ notes }: Context, { generation, assigned, revoked, lost }: Rebalance): void {
  const parts = [
    assigned.length > 0 ? `reads ${placesText(assigned)}` : null,
    revoked.length > 0 ? `lets go of ${placesText(revoked)}` : null,
    lost.length > 0 ? `has lost ${placesText(lost)}, since its session was over` : null,
  ].filter((part) => part !== null);
  notes.remark(`generation ${generation}: this member ${parts.join(" and ")}`);
}

interface Work {
  readonly context: Context;
  readonly session: Session;
  readonly consumer: Consumer;
  readonly request: ConsumeRequest;
  readonly ends: TopicEnds;
}

/** Until there is enough, or the user interrupts. Everything that was handed out was printed when it returns. */
async function readOn({ context, session, consumer, request, ends }: Work): Promise<void> {
  const { interrupted: signal } = context;
  const patience = new ReadPatience(context);
  let left = request.count ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    let records: readonly ConsumerRecord[];
    try {
      if (request.exit === true && (await isRead(consumer, ends, signal))) return;
      const maxRecords = Math.min(left, POLL_RECORDS_MAX);
      records = await consumer.poll({ maxRecords, timeoutMs: patience.pollMs, signal });
    } catch (error) {
      if (signal.aborted) return;
      const failure = failureOf(error);
      if (!failure.retriable) throw error;
      patience.failed(error, failure);
      continue;
    }
    patience.polled(records.length, session.client.isConnected);
    await printRecords(context, request.format, records);
    left -= records.length;
  }
}

/** Who counted records is to know that they come again; who interrupts is told, and not kept waiting for it. */
async function commitAll(
  { interrupted, notes }: Context,
  { clock }: Client,
  consumer: Consumer,
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
  if (problem !== null) notes.remark(`the last records were not committed (${problem}) and may come again`);
}

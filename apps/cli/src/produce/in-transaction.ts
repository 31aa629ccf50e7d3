/**
 * A command's whole input as one transaction: committed when it was read to its end, aborted when something failed, and at Ctrl-C.
 * How it ended is told, since what was printed of its records before says nothing of that.
 */
import type { ClientClock, ProducedRecord, Producer, RecordMetadata, Transaction } from "@minikafka/client";
import type { Context } from "../context.ts";
import { CliError, failureOf, Interrupted } from "../failure.ts";

export type Send = (record: ProducedRecord) => Promise<RecordMetadata>;

export interface TransactionRun {
  readonly context: Context;
  readonly clock: Pick<ClientClock, "after">;
  readonly producer: Producer;
  readonly transactionalId: string;
}

/** Whoever waits for the coordinator is told so after this long. */
const SLOW_MS = 2_000;

/** Throws what `work` throws, and what the commit fails with. */
export async function inTransaction(run: TransactionRun, work: (send: Send) => Promise<void>): Promise<void> {
  const { producer, transactionalId } = run;
  const { interrupted: signal, notes } = run.context;
  const tx = await remarked(run, "waits to begin the transaction", producer.beginTransaction({ signal }));
  try {
    await untilInterrupted(signal, tx, () => work((record) => tx.send(record)));
    await remarked(run, "waits for the commit to be complete in every partition", tx.commit());
  } catch (error) {
    await tellEnd(run, tx, error);
    throw withHint(error);
  }
  notes.remark(`committed the transaction of ${transactionalId}`);
}

/** Nothing was acknowledged for so long that the rest is not waited for. */
export function givenUp(giveUpMs: number, isConnected: boolean): CliError {
  const message = `nothing was acknowledged for ${giveUpMs} ms, and the transaction was given up`;
  const hint = "run the command again: under the same id it first ends what this one may have left open";
  return new CliError(isConnected ? "TIMEOUT" : "CONNECTION", message, { hint });
}

async function remarked<T>(
  { context, clock, transactionalId }: TransactionRun,
  what: string,
  wait: Promise<T>,
): Promise<T> {
  const cancel = clock.after(SLOW_MS, () =>
    context.notes.remark(`${what}; minikafka-cli tx describe ${transactionalId} shows where it stands`),
  );
  try {
    return await wait;
  } finally {
    cancel();
  }
}

/** What is under way at Ctrl-C is not waited for: aborted, it fails. A commit that was asked for is waited for. */
async function untilInterrupted(
  signal: AbortSignal,
  tx: Transaction,
  work: () => Promise<void>,
): Promise<void> {
  const abort = () => void tx.abort().catch(() => undefined);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await work();
  } finally {
    signal.removeEventListener("abort", abort);
  }
  if (signal.aborted) throw new Interrupted("interrupted before the commit");
}

/** Tells what became of the transaction that `error` ended, which is aborted unless that is settled. */
async function tellEnd(
  { context, transactionalId }: TransactionRun,
  tx: Transaction,
  error: unknown,
): Promise<void> {
  const { notes } = context;
  const { isFateUnknown, MiniKafkaError } = await import("@minikafka/client");
  if (tx.stage === "committing" && error instanceof MiniKafkaError && isFateUnknown(error)) {
    notes.remark(`whether it is committed is not known: minikafka-cli tx describe ${transactionalId} tells`);
    return;
  }
  const hidden = "nothing of it is shown to read_committed readers";
  const { code: failed, details } = failureOf(error);
  if (failed === "TRANSACTION_ABORTED" && details.cause !== "request") {
    notes.remark(`the transaction of ${transactionalId} was aborted ${causeText(details.cause)}: ${hidden}`);
    return;
  }
  try {
    await tx.abort();
    notes.remark(
      failureOf(error).code === "PRODUCER_FENCED"
        ? `the transaction of ${transactionalId} was aborted by whoever took over: ${hidden}`
        : `aborted the transaction of ${transactionalId}: ${hidden}`,
    );
  } catch {
    notes.remark(
      `the transaction of ${transactionalId} could not be aborted now: its timeout does it, or minikafka-cli tx abort ${transactionalId}`,
    );
  }
}

/** The broker has ended it, which is noticed only when more is sent or the input ends. */
function causeText(cause: unknown): string {
  if (cause === "timeout") return "by the broker, as it was open for longer than its timeout";
  return cause === "operator" ? "by an operator, such as minikafka-cli tx abort" : "by the broker";
}

/** The hint for such a line elsewhere is to go on behind it. */
function withHint(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== "INVALID_INPUT") return error;
  const hint = "nothing of the input is committed; correct it and run the command again";
  return new CliError(error.code, error.message, { hint, details: error.details });
}

/** The work of `produce`: reads no faster than the broker takes, and prints receipts meanwhile. */
import type { ProducedRecord, Producer, ProducerOptions } from "@minikafka/client";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { type OutgoingRecord, outgoingRecords } from "../input/outgoing-records.ts";
import { type Session, withSession } from "../session.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
import { givenUp, inTransaction, type Send } from "./in-transaction.ts";
import { Patience } from "./patience.ts";
import type { ProduceOptions } from "./produce-options.ts";
import { Receipts } from "./receipts.ts";
import { askForReason } from "./stall-reason.ts";

const ACKS = { "0": 0, "1": 1, all: "all" } as const;
/** Beyond them reading waits: this, and the producer's own bound on bytes, is all that a long input takes of memory. */
const PENDING_RECORDS_MAX = 10_000;
const GROUP_RECORDS_MAX = 500;
/** Half of the producer's buffer: the largest record that a broker takes finds room beside it. */
const BUFFERED_BYTES_MAX = 16 * 1024 * 1024;
/** What waits behind others counts its waiting too, so this is longer than the patience while nothing comes (Patience). */
const DELIVERY_TIMEOUT_DEFAULT_MS = 60_000;
/** For the last attempt. */
const CLOSE_MS = 1_000;

interface Input {
  readonly context: Context;
  readonly session: Session;
  readonly topic: string;
  readonly options: ProduceOptions;
}

/** Throws the first record's failure once all that was sent is settled, else what the input or the connection failed with. */
export function produce(context: Context, topic: string, options: ProduceOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    // Who mistyped the topic should know before typing the records.
    await session.call("metadata", { topic });
    const producer = session.client.producer(producerOptions(context, options));
    const input = { context, session, topic, options };
    const { transactionalId } = options;
    if (transactionalId === undefined) await sendAll(input, producer, (record) => producer.send(record));
    else {
      const { clock } = session.client;
      await inTransaction({ context, clock, producer, transactionalId }, (send) =>
        sendAll(input, producer, send),
      );
    }
    return undefined;
  });
}

function producerOptions({ settings }: Context, options: ProduceOptions): ProducerOptions {
  const { idempotent = false, name, acks, compression, transactionalId, transactionTimeout } = options;
  const deliveryTimeoutMs = Math.max(1, settings.timeoutMs ?? DELIVERY_TIMEOUT_DEFAULT_MS);
  if (transactionalId !== undefined)
    return { transactionalId, transactionTimeoutMs: transactionTimeout, deliveryTimeoutMs, compression };
  const strength = { idempotent, name, acks: ACKS[acks ?? (idempotent ? "all" : "1")] };
  return { ...strength, deliveryTimeoutMs, compression };
}

async function sendAll(
  { context, session, topic, options }: Input,
  producer: Producer,
  send: Send,
): Promise<void> {
  const giveUpMs = context.settings.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  const { systemClock } = await import("@minikafka/client");
  const patience = new Patience({
    clock: systemClock,
    giveUpMs,
    onStall: async () => {
      const reason = await askForReason(session, topic, options);
      context.notes.remark(`${reason}; waiting for up to ${giveUpMs / 1_000} s`);
    },
    // What is left is tried once more, and then fails with its own reason, which says more than that time is up.
    onGiveUp: () => void producer.close({ timeoutMs: CLOSE_MS }).catch(() => undefined),
  });
  const receipts = new Receipts(context, (pending) => patience.pendingChanged(pending));
  try {
    for await (const group of outgoingRecords(context, options)) {
      if (patience.hasGivenUp) throw unsentRest(giveUpMs);
      for (let start = 0; start < group.length && !receipts.hasFailed; start += GROUP_RECORDS_MAX) {
        await receipts.whenFew(PENDING_RECORDS_MAX);
        const sent = [];
        for (const record of group.slice(start, start + GROUP_RECORDS_MAX)) {
          if (producer.buffered.bytes > BUFFERED_BYTES_MAX) await producer.drain();
          sent.push({ line: record.line, sent: send(producedRecord(topic, record)) });
        }
        receipts.add(sent);
      }
      if (receipts.hasFailed) break;
    }
  } finally {
    // Also when a line could not be read: what came before it was sent, and its failure is the earlier one.
    await receipts
      .finish()
      .catch((error: unknown) => {
        // Given up with its transaction, a record has no reason of its own.
        const isWhole = options.transactionalId !== undefined && patience.hasGivenUp;
        throw isWhole ? givenUp(giveUpMs, session.client.isConnected) : error;
      })
      .finally(() => patience.end());
  }
}

/** All that was sent got through in the end, at the last attempt. */
function unsentRest(giveUpMs: number): CliError {
  return new CliError("TIMEOUT", `nothing was acknowledged for ${giveUpMs} ms, and the rest was not sent`);
}

function producedRecord(topic: string, record: OutgoingRecord): ProducedRecord {
  return {
    topic,
    key: record.key,
    value: record.value,
    headers: record.headers,
    partition: record.partition ?? undefined,
    timestampMs: record.timestampMs ?? undefined,
  };
}

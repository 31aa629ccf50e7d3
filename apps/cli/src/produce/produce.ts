/** The work of `produce`: reads no faster than the broker takes, and prints receipts meanwhile. */
import type { ProducedRecord } from "@minikafka/client";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { type OutgoingRecord, outgoingRecords } from "../input/outgoing-records.ts";
import { withSession } from "../session.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
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

/** Throws the first record's failure once all that was sent is settled, else what the input or the connection failed with. */
export function produce(context: Context, topic: string, options: ProduceOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    // Who mistyped the topic should know before typing the records.
    await session.call("metadata", { topic });
    const { idempotent = false, name } = options;
    const producer = session.client.producer({
      idempotent,
      name,
      acks: ACKS[options.acks ?? (idempotent ? "all" : "1")],
      deliveryTimeoutMs: Math.max(1, context.settings.timeoutMs ?? DELIVERY_TIMEOUT_DEFAULT_MS),
    });
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
            sent.push({ line: record.line, sent: sendRecord(record) });
          }
          receipts.add(sent);
        }
        if (receipts.hasFailed) break;
      }
    } finally {
      // Also when a line could not be read: what came before it was sent, and its failure is the earlier one.
      await receipts.finish().finally(() => patience.end());
    }
    return undefined;

    function sendRecord(record: OutgoingRecord) {
      return producer.send(producedRecord(topic, record));
    }
  });
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

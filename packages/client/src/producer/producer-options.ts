/** How a producer works; each option with Kafka's name and default. */
import type { PackingCodec } from "@minikafka/record";
import { shownValue } from "@minikafka/record";
import { LIMITS } from "../limits.ts";
import { requireSerdes, type Serializers } from "../serdes/serde.ts";
import type { Session } from "../session.ts";
import { checkedInteger, checkedTimeMs, fieldNames, requireKnown, usageError } from "../usage.ts";
import { type CompressionType, codecOf } from "./batch-packing.ts";
import type { Partitioner } from "./partitioner.ts";
import type { Payload } from "./produced-record.ts";
import { type SerializeRecord, serializing } from "./serialized-record.ts";

/** Options of a producer whose records have keys of type `K` and values of type `V`. */
export interface ProducerOptions<K = Payload, V = Payload> {
  /**
   * What keys and values are made into bytes with (default: they are text or bytes already), and thereby which types a record has.
   * Kafka: key.serializer, value.serializer.
   */
  readonly serializers?: Serializers<K, V> | undefined;
  /**
   * What an acknowledgement means. 0: nothing, the send is done when the link has taken it. 1 (default): the leader has
   * written it. "all": every in-sync copy is flushed. Kafka: acks.
   */
  readonly acks?: 0 | 1 | "all" | undefined;
  /** A batch is closed when it has so many bytes (default 16384); 1 sends each record by itself. Kafka: batch.size. */
  readonly batchBytes?: number | undefined;
  /**
   * How long a batch that is not full waits for more records (default 0: until the caller's turn ends, or the batch before
   * it is acknowledged). With a manual clock it goes at `runDueFlushes`. Kafka: linger.ms.
   */
  readonly lingerMs?: number | undefined;
  /** Unacknowledged bytes at most (default 32 MiB, with a manual clock 1 MiB); beyond them BUFFER_FULL. Kafka: buffer.memory. */
  readonly bufferBytesMax?: number | undefined;
  /** A record that does not fit such a batch alone is RECORD_TOO_LARGE (default 2 MiB). Kafka: max.request.size. */
  readonly batchBytesMax?: number | undefined;
  /** How long a batch may be tried, counted from its first record (default 120000). Kafka: delivery.timeout.ms. */
  readonly deliveryTimeoutMs?: number | undefined;
  /**
   * Batches of one partition that are out at once (default 1). More are faster on a slow link, and a retry may then change
   * the order of records, as with Kafka's max.in.flight.requests.per.connection.
   */
  readonly inFlightPerPartitionMax?: number | undefined;
  /**
   * What to do when a produce has gone out and its effect is not known (the connection broke, no answer in time). "fail"
   * (default): its sends fail with an error for which `isFateUnknown` holds. "retry": it is sent again, so that nothing is
   * lost and records may be there twice: at least once, Kafka's way without idempotence.
   */
  readonly onUnknownFate?: "fail" | "retry" | undefined;
  /**
   * Each record that is acknowledged is there once, and in the order of the sends, whatever breaks on the way: the broker
   * knows a batch that comes again (default false). It asks for acks "all", which is the default then, lets up to five batches
   * of a partition out at once (default 5), and tries again whatever may be tried again until `deliveryTimeoutMs` is over. A
   * record that fails with an error for which `isFateUnknown` holds is there once or not at all. Kafka: enable.idempotence.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * With `idempotent`: the producer keeps its id from one instance to the next, and each new instance ends the one before,
   * whose sends then fail with PRODUCER_FENCED. Kafka: transactional.id, which does the same for a transactional producer.
   */
  readonly name?: string | undefined;
  /**
   * The producer sends in transactions alone, and is idempotent. The name stays the same from one instance to the next: each new
   * one ends the open transaction of the one before, whose calls then fail with PRODUCER_FENCED. Kafka: transactional.id.
   */
  readonly transactionalId?: string | undefined;
  /**
   * With `transactionalId`: a transaction that is open for longer is aborted by the broker (default: the broker's, 60000; more than
   * it allows is INVALID_TRANSACTION_TIMEOUT). Kafka: transaction.timeout.ms.
   */
  readonly transactionTimeoutMs?: number | undefined;
  /**
   * What batches are compressed with (default "none"); one that would not become smaller by it goes as it is. Sizes are those before
   * compression. A broker that lacks the codec refuses with UNSUPPORTED_COMPRESSION_TYPE. Kafka: compression.type.
   */
  readonly compression?: CompressionType | undefined;
  /** Where keys go (default "crc32"). Kafka: partitioner.class; "murmur2" is the Java client's. */
  readonly partitioner?: Partitioner | undefined;
}

export interface TransactionSettings {
  readonly transactionalId: string;
  /** `undefined`: the broker's. */
  readonly transactionTimeoutMs: number | undefined;
}

export interface ProducerSettings {
  readonly acks: 0 | 1 | "all";
  readonly batchBytes: number;
  readonly lingerMs: number;
  readonly bufferBytesMax: number;
  readonly batchBytesMax: number;
  readonly deliveryTimeoutMs: number;
  readonly inFlightPerPartitionMax: number;
  readonly mayDuplicate: boolean;
  /** `null`: not idempotent, or transactional. */
  readonly idempotence: { readonly name: string | undefined } | null;
  /** `null`: not transactional. */
  readonly transactions: TransactionSettings | null;
  readonly transactionalId: string | null;
  readonly codec: PackingCodec | null;
  readonly partitioner: Partitioner;
  /** `null`: records come as text and bytes. */
  readonly serialize: SerializeRecord | null;
}

const PRODUCER_OPTIONS = fieldNames<ProducerOptions>({
  acks: true,
  batchBytes: true,
  lingerMs: true,
  bufferBytesMax: true,
  batchBytesMax: true,
  deliveryTimeoutMs: true,
  inFlightPerPartitionMax: true,
  onUnknownFate: true,
  idempotent: true,
  name: true,
  transactionalId: true,
  transactionTimeoutMs: true,
  compression: true,
  partitioner: true,
  serializers: true,
});

/** What a line of a batch holds beside its Base64: names and numbers. */
const LINE_OVERHEAD_BYTES = 4 * 1024;

/** Fills in the defaults. Throws USAGE for what is unknown or does not fit together. */
export function producerSettings<K, V>(options: ProducerOptions<K, V>, session: Session): ProducerSettings {
  requireKnown("a producer", options, PRODUCER_OPTIONS);
  const { serializers = {} } = options;
  requireSerdes("serializers", serializers);
  const lineRoomBytes = Math.floor((session.frameBytesMax - LINE_OVERHEAD_BYTES) / 4) * 3;
  const buffer = session.clock.mode === "manual" ? LIMITS.bufferBytesManualMax : LIMITS.bufferBytesMax;
  const { lingerMs = 0, deliveryTimeoutMs = LIMITS.deliveryTimeoutMs } = options;
  const transactions = transactionSettings(options);
  const { idempotent = transactions !== null, name } = options;
  const { acks = idempotent ? "all" : 1 } = options;
  const { batchBytesMax = Math.min(LIMITS.batchBytesMax, lineRoomBytes) } = options;
  const { batchBytes = Math.min(LIMITS.batchBytes, batchBytesMax) } = options;
  if (acks !== 0 && acks !== 1 && acks !== "all")
    throw usageError(`acks is ${String(acks)}; expected 0, 1 or "all"`);
  if (idempotent && acks !== "all")
    throw usageError(
      `acks is ${acks}; expected "all", since the producer is ${transactions === null ? "idempotent" : "transactional"}`,
    );
  if (name !== undefined && !idempotent)
    throw usageError(`name is ${shownValue(name)}; expected none, since the producer is not idempotent`);
  return {
    acks,
    batchBytesMax: checkedInteger("batchBytesMax", batchBytesMax, 1, lineRoomBytes),
    batchBytes: checkedInteger("batchBytes", batchBytes, 1, batchBytesMax),
    lingerMs: checkedInteger("lingerMs", lingerMs, 0, LIMITS.timeoutMsMax - 1),
    bufferBytesMax: checkedInteger("bufferBytesMax", options.bufferBytesMax ?? buffer, 1),
    deliveryTimeoutMs: checkedTimeMs("deliveryTimeoutMs", deliveryTimeoutMs, lingerMs + 1),
    inFlightPerPartitionMax: checkedInteger(
      "inFlightPerPartitionMax",
      options.inFlightPerPartitionMax ?? (idempotent ? LIMITS.inFlightIdempotentMax : 1),
      1,
      idempotent ? LIMITS.inFlightIdempotentMax : LIMITS.inFlightRequestsMax,
    ),
    mayDuplicate: options.onUnknownFate === "retry",
    idempotence: idempotent && transactions === null ? { name } : null,
    transactions,
    transactionalId: transactions?.transactionalId ?? null,
    codec: codecOf(options.compression ?? "none"),
    partitioner: options.partitioner ?? "crc32",
    // They are only given what a producer of these types is given.
    serialize: serializing(serializers as Serializers<unknown, unknown>),
  };
}

function transactionSettings<K, V>(options: ProducerOptions<K, V>): TransactionSettings | null {
  const { transactionalId, transactionTimeoutMs, idempotent, name } = options;
  if (transactionalId === undefined) {
    if (transactionTimeoutMs === undefined) return null;
    throw usageError("transactionTimeoutMs is for a producer with a transactionalId");
  }
  if (typeof transactionalId !== "string" || transactionalId === "")
    throw usageError(`transactionalId is ${shownValue(transactionalId)}; expected a name`);
  if (idempotent === false)
    throw usageError("idempotent is false; expected none, since a transactional producer is idempotent");
  if (name !== undefined)
    throw usageError(`name is ${shownValue(name)}; expected none, since transactionalId names the producer`);
  if (transactionTimeoutMs !== undefined) checkedInteger("transactionTimeoutMs", transactionTimeoutMs, 1);
  return { transactionalId, transactionTimeoutMs };
}

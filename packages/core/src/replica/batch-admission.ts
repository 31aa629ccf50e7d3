/**
 * What a leader takes from a producer. Everything that a reader will rely on is checked here, once: after the append the
 * bytes are copied and served as they are.
 */
import {
  type BatchHeader,
  type Compression,
  CompressionError,
  frameProblem,
  isPlain,
  isRecordTimestampMs,
  latestTimestampMs,
  readBatchHeader,
  recordsProblem,
  stampLatestTime,
} from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { unpacked } from "../log/frames/unpacked.ts";
import type { Acks } from "./acknowledgement.ts";

/** A batch that is taken. */
export interface Admitted {
  readonly header: BatchHeader;
  /** Its records unpacked; the frame itself where they are. To be read only (plainFrame). */
  readonly plain: Buffer;
}

/** How a batch comes to the leader. */
export interface Admission {
  readonly batchBytesMax: number;
  readonly acks: Acks;
  /** Whether the topic is compacted, which a record without a key could not be (Kafka: LogValidator.validateKey). Default: no. */
  readonly requiresKeys?: boolean | undefined;
  /** Whether the coordinator of its transaction has said, in this very instant, that it is open and has this partition. */
  readonly inTransaction?: boolean | undefined;
  /** Kafka: AppendOrigin. What a coordinator writes of its own is never sent twice, so that it has no sequence. Default: a client. */
  readonly origin?: "client" | "coordinator" | undefined;
  /** Without it, or where it lacks the codec, a compressed batch is refused, since nobody could say what is in it. */
  readonly compression?: Compression | undefined;
}

/**
 * What is known of `frame`. Throws RECORD_TOO_LARGE, UNSUPPORTED_COMPRESSION_TYPE, CORRUPT_BATCH or INVALID_RECORD unless `frame` is one whole batch of at most `batchBytesMax`
 * that a producer may send, with a key in each record where those are required; INVALID_TRANSACTION_STATE for a transactional one that comes past its coordinator, and INVALID_REQUEST for
 * one that does not ask for acks all, or for a plain one that is said to be in a transaction. The base offset and the leader epoch
 * that it carries do not matter: the leader sets them, and the latest time of a compressed batch too, which nobody has unpacked
 * before (Kafka: LogValidator.validateMessagesAndAssignOffsetsCompressed).
 */
export function requireAdmissible(frame: Buffer, admission: Admission): Admitted {
  const { batchBytesMax } = admission;
  requireSize(frame, batchBytesMax);
  const problem = frameProblem(frame, 0, batchBytesMax);
  if (problem !== null) throw new BrokerError("CORRUPT_BATCH", problem);
  const header = readBatchHeader(frame);
  if (header.frameBytes !== frame.length) {
    const extra = frame.length - header.frameBytes;
    throw new BrokerError("CORRUPT_BATCH", `${extra} bytes follow the batch; expected one batch alone`);
  }
  const refusal = headerRefusal(header, admission);
  if (refusal !== null) throw new BrokerError("INVALID_RECORD", refusal);
  const admitted = requireRecords(frame, header, admission);
  requireItsTransaction(header, admission);
  return admitted;
}

/** `form`: what made it as large as it is. Throws RECORD_TOO_LARGE. */
export function requireSize({ length }: Buffer, batchBytesMax: number, form = ""): void {
  if (length <= batchBytesMax) return;
  const message = `the batch has ${length} bytes${form}; expected at most ${batchBytesMax}`;
  throw new BrokerError("RECORD_TOO_LARGE", message, { batch_bytes: length, batch_bytes_max: batchBytesMax });
}

/** The records are whole and as the header says, also where they are compressed: those who will read them rely on it. */
function requireRecords(
  frame: Buffer,
  header: BatchHeader,
  { compression, requiresKeys = false }: Admission,
): Admitted {
  const plain = isPlain(header) ? frame : unpackedByProducer(frame, compression);
  if (plain !== frame) setLatestTime(frame, plain);
  const problem = recordsProblem(plain, { requiresKeys });
  if (problem !== null) throw new BrokerError("INVALID_RECORD", problem);
  return { header: plain === frame ? header : readBatchHeader(frame), plain };
}

function unpackedByProducer(frame: Buffer, compression: Compression | undefined): Buffer {
  try {
    return unpacked(frame, compression);
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    const { message, problem } = error;
    if (problem === "unsupported") throw new BrokerError("UNSUPPORTED_COMPRESSION_TYPE", message);
    if (problem === "damaged") throw new BrokerError("INVALID_RECORD", message);
    const bytesMax = LIMITS.unpackedBytesMax;
    throw new BrokerError("RECORD_TOO_LARGE", message, { unpacked_bytes_max: bytesMax });
  }
}

function setLatestTime(frame: Buffer, plain: Buffer): void {
  const { firstTimestampMs, maxTimestampMs } = readBatchHeader(frame);
  const latestMs = latestTimestampMs(plain, firstTimestampMs);
  if (latestMs === null || latestMs === maxTimestampMs || !isRecordTimestampMs(latestMs)) return;
  for (const each of [frame, plain]) stampLatestTime(each, latestMs);
}

function headerRefusal(header: BatchHeader, admission: Admission): string | null {
  if (header.control !== null) return `the batch is a marker (${header.control}), which only a broker writes`;
  const producer = producerRefusal(header, admission);
  if (producer !== null) return producer;
  if (header.timestampType !== "create") return "the batch claims append times, which only a broker gives";
  if (header.recordCount > LIMITS.recordsPerBatchMax) {
    return `the batch has ${header.recordCount} records; expected at most ${LIMITS.recordsPerBatchMax}`;
  }
  return null;
}

function producerRefusal(header: BatchHeader, { origin }: Admission): string | null {
  const { transactional, producerId, producerEpoch, baseSequence } = header;
  const seen = `the batch has producer id ${producerId}, epoch ${producerEpoch} and sequence ${baseSequence}`;
  if (transactional) {
    const isSequenced = baseSequence >= 0;
    const isFit = isSequenced === (origin !== "coordinator") && producerId >= 0 && producerEpoch >= 0;
    return isFit ? null : `${seen}; expected all three in a transaction, and no sequence of a coordinator`;
  }
  const set = [producerId, producerEpoch, baseSequence].filter((field) => field >= 0).length;
  return set === 0 || set === 3 ? null : `${seen}; expected all three, or -1 for each`;
}

function requireItsTransaction({ transactional, producerId }: BatchHeader, admission: Admission): void {
  const { inTransaction = false, acks } = admission;
  if (transactional && !inTransaction) {
    const message = `the batch of producer id ${producerId} is transactional, and no transaction was named; expected transactional_id beside it`;
    throw new BrokerError("INVALID_TRANSACTION_STATE", message, { producer_id: producerId });
  }
  if (!transactional && inTransaction) {
    const message = "a transactional_id was named, and the batch is not transactional; expected one that is";
    throw new BrokerError("INVALID_REQUEST", message);
  }
  if (transactional && acks !== "all") {
    throw new BrokerError("INVALID_REQUEST", `acks is ${acks}; expected all in a transaction`, { acks });
  }
}

/**
 * What a leader takes from a producer. Everything that a reader will rely on is checked here, once: after the append the
 * bytes are copied and served as they are.
 */
import { type BatchHeader, frameProblem, readBatchHeader, recordsProblem } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";

/**
 * The header of `frame`. Throws RECORD_TOO_LARGE, CORRUPT_BATCH or INVALID_RECORD unless `frame` is one whole batch of at most `batchBytesMax`
 * that a producer may send. The base offset and the leader epoch that it carries do not matter: the leader sets them.
 */
export function requireAdmissible(frame: Buffer, batchBytesMax: number): BatchHeader {
  if (frame.length > batchBytesMax) {
    throw new BrokerError(
      "RECORD_TOO_LARGE",
      `the batch has ${frame.length} bytes; expected at most ${batchBytesMax}`,
      { batch_bytes: frame.length, batch_bytes_max: batchBytesMax },
    );
  }
  const problem = frameProblem(frame, 0, batchBytesMax);
  if (problem !== null) throw new BrokerError("CORRUPT_BATCH", problem);
  const header = readBatchHeader(frame);
  if (header.frameBytes !== frame.length) {
    const extra = frame.length - header.frameBytes;
    throw new BrokerError("CORRUPT_BATCH", `${extra} bytes follow the batch; expected one batch alone`);
  }
  const refusal = headerRefusal(header) ?? recordsProblem(frame);
  if (refusal !== null) throw new BrokerError("INVALID_RECORD", refusal);
  return header;
}

function headerRefusal(header: BatchHeader): string | null {
  if (header.control !== null) return `the batch is a ${header.control} marker, which only a broker writes`;
  if (header.transactional) return "the batch is transactional; this broker has no transactions";
  const { producerId, producerEpoch, baseSequence } = header;
  const set = [producerId, producerEpoch, baseSequence].filter((field) => field >= 0).length;
  if (set !== 0 && set !== 3) {
    return `the batch has producer id ${producerId}, epoch ${producerEpoch} and sequence ${baseSequence}; expected all three, or -1 for each`;
  }
  if (header.timestampType !== "create") return "the batch claims append times, which only a broker gives";
  if (header.recordCount > LIMITS.recordsPerBatchMax) {
    return `the batch has ${header.recordCount} records; expected at most ${LIMITS.recordsPerBatchMax}`;
  }
  return null;
}

/**
 * The end of a transaction in one partition: a marker, and only where the leader's log has the transaction open (KIP-98). Pure.
 *
 * Who ends a transaction may do so again, after a crash or a refusal, without knowing how far it came: a partition gets one marker
 * of each transaction that wrote to it, and none of any other.
 */
import type { BatchHeader, Marker } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";

/** Which transaction ends, and how. */
export interface TransactionEnd {
  readonly producerId: number;
  /** The one that follows the transaction's: the producer goes on in it, and nothing late is taken any more (KIP-890). */
  readonly producerEpoch: number;
  /** `producerEpoch` is the transaction's own, and the producer goes on in it, as before KIP-890. Default: it follows it. */
  readonly keepsEpoch?: boolean | undefined;
  /** Kafka: the leader epoch of the coordinator's partition. */
  readonly coordinatorEpoch: number;
  readonly control: "commit" | "abort";
}

export interface MarkerResult {
  /** Of the marker; `null` when there was none to write. */
  readonly offset: number | null;
}

/** The same before anybody has waited. */
export interface AppendedMarker extends MarkerResult {
  /** Of the marker; of remains it is an abort, whatever was asked for. */
  readonly control: "commit" | "abort";
  /** Everything below it is acknowledged when `acknowledged` resolves. */
  readonly nextOffset: number;
  readonly acknowledged: Promise<void>;
}

/**
 * The marker that `log` lacks; `null` when it has no such transaction open: the marker is there, or nothing was written. A commit is
 * one of the transaction of the epoch right before its own, or of its own where that is kept; what is open of an older one are remains
 * whose marker was lost, and an abort ends them: nobody has said that they were to be committed.
 */
export function markerFor(
  log: Pick<PartitionLog, "openTransaction">,
  end: TransactionEnd,
  nowMs: number,
): Marker | null {
  const { keepsEpoch = false, ...fields } = end;
  const open = log.openTransaction(end.producerId);
  const endedEpoch = keepsEpoch ? end.producerEpoch : end.producerEpoch - 1;
  // One of a later epoch began after the end that is asked for.
  if (open === undefined || open.producerEpoch > endedEpoch) return null;
  const control = open.producerEpoch === endedEpoch ? end.control : "abort";
  return { ...fields, control, firstOffset: open.firstOffset, timestampMs: nowMs };
}

/**
 * Throws INVALID_TRANSACTION_STATE when `log` has an earlier transaction of the batch's producer open, whose marker was lost with a
 * replica that led: the two would become one, and have one fate.
 */
export function requireOneTransaction(log: Pick<PartitionLog, "openTransaction">, header: BatchHeader): void {
  const { transactional, producerId, producerEpoch } = header;
  if (!transactional) return;
  const open = log.openTransaction(producerId);
  if (open === undefined || open.producerEpoch === producerEpoch) return;
  const message = `producer id ${producerId} has a transaction of epoch ${open.producerEpoch} open from offset ${open.firstOffset} on; expected one of epoch ${producerEpoch}, or none: an abort ends it`;
  throw new BrokerError("INVALID_TRANSACTION_STATE", message, {
    producer_id: producerId,
    producer_epoch: producerEpoch,
    open_epoch: open.producerEpoch,
  });
}

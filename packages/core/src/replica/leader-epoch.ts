/** Fencing by leader epoch (KIP-101, KIP-320): a client that knows another leader than the present one is told so. */
import { BrokerError } from "../errors.ts";

/**
 * Throws FENCED_LEADER_EPOCH when `requested` is not the leader's epoch. Kafka calls a newer one UNKNOWN_LEADER_EPOCH; the
 * cure is the same, the client's metadata and this broker's have to meet.
 */
export function requireLeaderEpoch(requested: number, current: number): void {
  if (requested === current) return;
  const message =
    requested < current
      ? `the leader epoch ${requested} is over; the present one is ${current}`
      : `the leader epoch ${requested} is newer than ${current}, the newest that this broker knows of`;
  throw new BrokerError("FENCED_LEADER_EPOCH", message, { requested, leader_epoch: current });
}

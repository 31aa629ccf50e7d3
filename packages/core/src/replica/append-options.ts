/** What an append to a partition asks for, and what came of it. */
import type { Acks } from "./acknowledgement.ts";
import type { Admission } from "./batch-admission.ts";
import type { RetryRule } from "./same-batch.ts";

/** Besides: what batch-admission.ts wants to know. */
export interface AppendOptions extends Omit<Admission, "batchBytesMax"> {
  readonly acks: Acks;
  /** The epoch that the client knows; default: whichever it is. */
  readonly leaderEpoch?: number;
  /** What has to be the same, besides epoch and sequences, of a batch that came before; default: its content. */
  readonly retriesKnownBy?: RetryRule | undefined;
  /** Says that nobody waits for acks=all any more: its time is over, and the record of unknown fate. */
  readonly giveUp?: AbortSignal;
}

/** Where an appended batch stands. */
export interface AppendResult {
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** The time that the leader gave the batch; `null` when its records keep their producer's. */
  readonly appendTimeMs: number | null;
  /** The same batch of an idempotent producer was there already: this is where. Nothing was appended. */
  readonly duplicate: boolean;
}

/** The same before anybody has waited. */
export interface Appended extends AppendResult {
  /** See acknowledgement.ts. */
  readonly acknowledged: Promise<void>;
}

/** Where an appended batch stands. */
export interface AppendResult {
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** The time that the leader gave the batch; `null` when its records keep their producer's. */
  readonly appendTimeMs: number | null;
  /** The same batch of an idempotent producer was there already: this is where. */
  readonly duplicate: boolean;
}

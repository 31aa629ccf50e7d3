/** What the user may say to `log dump`. */
export interface LogDumpOptions {
  /** Where to begin; the start of the log when left out. */
  readonly offset?: number;
  /** Whose replica, by its broker's id; the leader's when left out. */
  readonly replica?: number;
  /** At most so many sound batches. */
  readonly batches?: number;
  /** Whether records are printed too. */
  readonly records?: boolean;
}

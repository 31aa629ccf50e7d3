/** What a compaction is asked for, and what it says of itself. */
export interface CompactionRequest {
  readonly nowMs: number;
  /**
   * Nothing at or behind it is touched, but for what an earlier pass has been over: the high watermark. The active segment, what
   * was not flushed since it was rolled, and what lies behind the beginning of a transaction that is open, or whose end does not
   * lie below it, never is.
   */
  readonly cleanEnd: number;
  /**
   * Below it every replica of the partition holds this log on its disk. What has only to say that something older is gone, a tombstone
   * or a marker, is not dropped at or behind it, however old it is: a replica that lacks it would keep what it ended.
   */
  readonly copiedEnd: number;
  /**
   * How much memory the keys may take, in bytes (Kafka: log.cleaner.dedupe.buffer.size). A pass covers one key for every 32
   * of them, as many offsets as hold so many different keys; the next pass goes on behind it. What a pass takes besides is
   * a few MiB for what is read and written.
   */
  readonly bufferBytes: number;
  /**
   * Awaited after each chunk, so that whoever shares the thread gets a turn: a pass over a large log takes seconds. What it
   * throws ends the pass.
   */
  readonly pause: () => Promise<void>;
  /** How many bytes are read, or gathered for one write, before a pause is due. Default LIMITS.compactionChunkBytes. */
  readonly chunkBytes?: number;
  /** Instead of the topic's setting; 0 for whoever wants whatever can be had now. */
  readonly minCleanableDirtyRatio?: number;
}

/** What a pass gives way to: it has done nothing then. */
export type Precedence = "truncation" | "removal" | "close";

/** Every pass of a call gave way. */
export interface CompactionGaveWay {
  /**
   * Segments were cut off, were removed by retention or delete_records, or the log is being closed. Of the last pass. Or nothing but
   * tombstones and markers whose time is over made a pass due, and a replica may lack those.
   */
  readonly gaveWayTo: Precedence | "replicas";
  /** How many were begun; none for the sake of replicas. */
  readonly passes: number;
}

export interface CompactionResult extends PassResult {
  /** How many were begun: all but the last gave way to the removal of segments. */
  readonly passes: number;
}

export type CompactionOutcome = CompactionResult | CompactionGaveWay;

/** What one pass did. */
export interface PassResult {
  /** From here on the log is not clean. */
  readonly firstDirtyOffset: number;
  /** False when the keys' memory was full before the clean point: another pass has more to do. */
  readonly isComplete: boolean;
  /** Of the part that was covered: segments and bytes, before and after. */
  readonly segmentsBefore: number;
  readonly segmentsAfter: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly recordsKept: number;
  readonly recordsDropped: number;
  /** Of those dropped: tombstones whose time was over. */
  readonly tombstonesDropped: number;
  /** Of those kept: tombstones and markers whose time is over, at or behind the request's copied end. */
  readonly recordsHeld: number;
  /** Different keys in the part that was not clean. */
  readonly keys: number;
}

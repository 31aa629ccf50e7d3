/**
 * The batches of one replica's log, read again only as far as they are new.
 *
 * Owns: what was read. Invariants: within a version batches are only added.
 */
import { type BatchHeader, decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";

export interface RecordLook {
  readonly offset: number;
  readonly key: string | null;
  readonly isTombstone: boolean;
}

type HeaderLook = Pick<
  BatchHeader,
  | "baseOffset"
  | "nextOffset"
  | "leaderEpoch"
  | "crc"
  | "producerId"
  | "producerEpoch"
  | "baseSequence"
  | "transactional"
  | "control"
  | "recordCount"
  | "deleteHorizonMs"
>;

export interface BatchLook extends HeaderLook {
  /** Of logs that are compacted, where records go one by one; else `null`. */
  readonly records: readonly RecordLook[] | null;
}

/** What of a log is needed to read it. */
export interface ReadableLog {
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  read(
    offset: number,
    limits: { bytesMax: number; endOffset: number },
  ): { batches: Buffer; nextOffset: number };
}

const BYTES_MAX = 1 << 20;

export class LogMirror {
  #batches: BatchLook[] = [];
  #version = 0;

  get batches(): readonly BatchLook[] {
    return this.#batches;
  }

  /** Rises when what was read before does not stand any more. */
  get version(): number {
    return this.#version;
  }

  get endOffset(): number {
    return this.#batches.at(-1)?.nextOffset ?? 0;
  }

  add(batches: readonly BatchLook[]): void {
    this.#batches.push(...batches);
  }

  replace(batches: readonly BatchLook[]): void {
    this.#batches = [...batches];
    this.#version++;
  }

  /**
   * Reads what is new; all of it when `isChanged`, or when what was read cannot be the beginning of it. Returns what stood there before,
   * when all was read.
   */
  follow(
    log: ReadableLog,
    { isChanged, withRecords }: { isChanged: boolean; withRecords: boolean },
  ): readonly BatchLook[] | null {
    const { endOffset } = this;
    const before = this.#batches;
    const isApart = log.logEndOffset < endOffset || log.logStartOffset > endOffset;
    if (!isChanged && !isApart && before.length > 0) {
      this.add(readFrom(log, endOffset, withRecords));
      return null;
    }
    this.replace(readFrom(log, log.logStartOffset, withRecords));
    return before;
  }

  /** Where the first batch from `offset` on stands. */
  indexFrom(offset: number): number {
    let [low, high] = [0, this.#batches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#batches[middle]?.baseOffset ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function readFrom(log: ReadableLog, from: number, withRecords: boolean): BatchLook[] {
  const found: BatchLook[] = [];
  for (let offset = from; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: BYTES_MAX, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const header = readBatchHeader(frame);
      found.push({ ...header, records: withRecords && header.control === null ? recordsIn(frame) : null });
    }
    if (nextOffset <= offset) break;
    offset = nextOffset;
  }
  return found;
}

function recordsIn(frame: Buffer): RecordLook[] {
  return decodeRecords(frame).map(({ offset, key, value }) => ({
    offset,
    key: key === null ? null : Buffer.from(key).toString("latin1"),
    isTombstone: value === null,
  }));
}

/** Something that is counted up over the batches of a log, each once, and anew when the log was read anew. */
export class Folds<State> {
  readonly #make: () => State;
  readonly #known = new WeakMap<LogMirror, { version: number; next: number; state: State }>();

  constructor(make: () => State) {
    this.#make = make;
  }

  /** `note` is called for each batch that is new. */
  of(
    mirror: LogMirror,
    note: (state: State, batch: BatchLook, before: BatchLook | undefined) => void,
  ): State {
    let known = this.#known.get(mirror);
    if (known === undefined || known.version !== mirror.version) {
      known = { version: mirror.version, next: 0, state: this.#make() };
      this.#known.set(mirror, known);
    }
    for (; known.next < mirror.batches.length; known.next++) {
      const batch = mirror.batches[known.next];
      if (batch !== undefined) note(known.state, batch, mirror.batches[known.next - 1]);
    }
    return known.state;
  }
}

export function batchWords(brokerId: number, batch: BatchLook): string {
  const { baseOffset, nextOffset, leaderEpoch, crc, producerId, producerEpoch, baseSequence, control } =
    batch;
  const who = producerId < 0 ? "" : `, producer ${producerId}:${producerEpoch} from sequence ${baseSequence}`;
  const what = control === null ? (batch.transactional ? "in a transaction" : "plain") : `${control} marker`;
  return `${brokerId} has ${baseOffset} to ${nextOffset} of epoch ${leaderEpoch}, ${what}${who}, crc ${crc.toString(16)}`;
}

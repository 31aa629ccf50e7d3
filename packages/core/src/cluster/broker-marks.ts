/**
 * What a broker's folder says of the broker's lives: that the last one ended cleanly, which one it was, and how far its replicas were
 * visible then.
 *
 * Owns: the clean-shutdown mark, the broker epoch, the notes of high watermarks.
 * Invariants: a mark is only left in a life that began with an epoch of its own, and in which nothing was amiss.
 * Never: the mark or the notes of an older copy believed.
 */
import type { Env } from "../env/env.ts";
import { BROKER_EPOCH_FILE_NAME, BrokerEpoch, type BrokerStart } from "./broker-epoch.ts";
import { CLEAN_SHUTDOWN_FILE_NAME, CleanShutdownMark } from "./clean-shutdown.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import {
  HIGH_WATERMARK_FILE_NAME,
  HighWatermarkFile,
  type NotedHighWatermark,
} from "./high-watermark-file.ts";

const FILE_NAMES = [CLEAN_SHUTDOWN_FILE_NAME, HIGH_WATERMARK_FILE_NAME, BROKER_EPOCH_FILE_NAME];

/** Whether a file in a broker's folder is one of these, or belongs to one. */
export function isMark(name: string): boolean {
  return FILE_NAMES.some((own) => name.startsWith(own));
}

export interface BrokerFolder {
  readonly folder: string;
  readonly brokerId: number;
  readonly reserve: DiskReserve;
}

export class BrokerMarks {
  readonly highWatermarks: HighWatermarkFile;
  readonly #mark: CleanShutdownMark;
  readonly #epoch: BrokerEpoch;
  readonly #reserve: DiskReserve;
  #start: BrokerStart = { isOlderCopy: false, brokerEpoch: null };
  #startedClean = false;
  #isWhole = true;

  constructor({ folder, brokerId, reserve }: BrokerFolder, env: Env) {
    this.highWatermarks = new HighWatermarkFile(folder, brokerId, env);
    this.#mark = new CleanShutdownMark(folder, brokerId, env);
    this.#epoch = new BrokerEpoch(folder, brokerId, env);
    this.#reserve = reserve;
  }

  /** Whether the last life ended cleanly, and the folder is the one of that life. */
  get startedClean(): boolean {
    return this.#startedClean;
  }

  /** Whether the folder was put back from an older copy. */
  get isOlderCopy(): boolean {
    return this.#start.isOlderCopy;
  }

  /** Of the life that has begun; `null` when that could not be noted. */
  get brokerEpoch(): number | null {
    return this.#start.brokerEpoch;
  }

  /** A life begins. `knownEpoch`: what the metadata knows of the last one; `isNew`: there was no folder. Throws DiskError. */
  begin(knownEpoch: number | null, isNew: boolean): void {
    const isMarked = this.#mark.take();
    this.#start = this.#epoch.begin(knownEpoch, (note) => this.#reserve.spend(note));
    this.highWatermarks.load();
    this.#startedClean = isNew || (isMarked && !this.isOlderCopy);
    this.#isWhole = true;
  }

  /** The next start is to judge this life as after a crash. */
  leaveNoMark(): void {
    this.#isWhole = false;
  }

  /** The life ends, with every log closed: notes how far each was visible, and leaves the mark, also on a full disk. Throws STORAGE_ERROR. */
  end(highWatermarks: readonly NotedHighWatermark[]): void {
    this.#reserve.spend(() => this.highWatermarks.note(highWatermarks));
    if (this.#isWhole && this.brokerEpoch !== null) this.#reserve.spend(() => this.#mark.leave());
  }

  /** As if the process had died. */
  abandon(): void {
    this.highWatermarks.abandon();
  }
}

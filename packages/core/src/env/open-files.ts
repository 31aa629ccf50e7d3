/**
 * Which files of a bounded disk have a descriptor, and which of them give it up when another one needs it.
 *
 * Invariants: at most `filesMax` are open, as long as fewer than that are being synced; the one that was not used for
 * longest goes first, and of those whose every change is synced before any other.
 * Never: a file closed while a sync of it is under way.
 */
import { assert } from "../assert.ts";
import { isOutOfDescriptors } from "./disk.ts";

/** A file that does without its descriptor between two uses. */
export interface YieldingFile {
  /** Whether something was written that no sync has covered. */
  readonly hasChanges: boolean;
  /** Whether a sync is under way, so that closing it would give nothing back. */
  readonly isBusy: boolean;
  /** Gives the descriptor back; before that, makes durable what is not. */
  giveWay(): void;
  /** Begins to make durable what was written, where that holds nobody up. */
  syncAhead(): void;
}

export class OpenFiles {
  readonly #filesMax: number;
  /** Both with the one that was used last at the end. */
  readonly #unchanged = new Set<YieldingFile>();
  readonly #changed = new Set<YieldingFile>();
  #latest: YieldingFile | null = null;

  constructor(filesMax: number) {
    assert(Number.isInteger(filesMax) && filesMax > 0, `a disk cannot keep ${filesMax} files open`);
    this.#filesMax = filesMax;
  }

  get count(): number {
    return this.#unchanged.size + this.#changed.size;
  }

  /** Does what takes a descriptor, with room made for it. Where the system has none left, after idle files gave up theirs. */
  open<Opened>(act: () => Opened): Opened {
    while (this.count >= this.#filesMax && this.#closeOne());
    try {
      return act();
    } catch (problem) {
      if (!this.makesRoomFor(problem)) throw problem;
      return act();
    }
  }

  /** Whether `problem` is a lack of descriptors that closing idle files has just relieved. */
  makesRoomFor(problem: unknown): boolean {
    if (!isOutOfDescriptors(problem)) return false;
    // Half of them: whoever else needs a descriptor of this process, a connection above all, is to find one as well.
    const wanted = Math.ceil(this.count / 2);
    let closed = 0;
    while (closed < wanted && this.#closeOne()) closed++;
    return closed > 0;
  }

  /** It is open, and somebody uses it now. */
  noteUse(file: YieldingFile): void {
    if (file === this.#latest) return;
    this.#latest = file;
    this.#order(file);
  }

  /** It was written, or a sync covered what was: where many wait for one, some get theirs before anybody asks. */
  noteChanges(file: YieldingFile): void {
    if (this.#changed.has(file) === file.hasChanges) return;
    this.#order(file);
    if (!file.hasChanges || this.#changed.size <= this.#filesMax / 2) return;
    for (const oldest of this.#changed) {
      if (oldest.isBusy) continue;
      oldest.syncAhead();
      return;
    }
  }

  /** It is not open any more. */
  forget(file: YieldingFile): void {
    this.#unchanged.delete(file);
    this.#changed.delete(file);
    if (file === this.#latest) this.#latest = null;
  }

  #order(file: YieldingFile): void {
    this.#unchanged.delete(file);
    this.#changed.delete(file);
    (file.hasChanges ? this.#changed : this.#unchanged).add(file);
  }

  /** The one that is missed least gives way, and false when there is none. */
  #closeOne(): boolean {
    for (const files of [this.#unchanged, this.#changed]) {
      for (const file of files) {
        if (file.isBusy) continue;
        file.giveWay();
        this.forget(file);
        return true;
      }
    }
    return false;
  }
}

/**
 * What every call to a memory disk passes: power, the listeners of changes, the armed failures.
 *
 * Invariants: a change is counted and told before it happens; where a listener throws or a failure acts, it doesn't happen
 * (a failing write may happen in part); while the power is off nothing happens at all.
 */
import { DiskError, type DiskOperationName } from "./disk.ts";
import { DiskFailure, type DiskFailureOrder } from "./disk-failures.ts";
import { CrashSignal } from "./fault-order.ts";

/** A change that is about to happen. */
export type DiskChange =
  | {
      readonly kind: "create" | "sync" | "makeFolder" | "remove" | "removeFolder" | "syncFolder";
      readonly path: string;
    }
  | { readonly kind: "write"; readonly path: string; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: "truncate"; readonly path: string; readonly sizeBytes: number }
  | { readonly kind: "rename"; readonly path: string; readonly to: string };

/** Told of each change before it happens, with its number, from 0. What it throws stops the change. */
export type ChangeListener = (change: DiskChange, index: number) => void;

export class DiskGate {
  readonly #listeners = new Set<ChangeListener>();
  readonly #failures: DiskFailure[] = [];
  #changeCount = 0;
  #life = 0;
  #openFiles = 0;
  #openFilesPeak = 0;
  #isOff = false;
  #held: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  get changeCount(): number {
    return this.#changeCount;
  }

  /** Rises with each crash: a handle of an earlier life is dead. */
  get life(): number {
    return this.#life;
  }

  /** Handles that are open now, and the most that ever were at once. */
  get openFiles(): { readonly now: number; readonly peak: number } {
    return { now: this.#openFiles, peak: this.#openFilesPeak };
  }

  noteOpened(): void {
    this.#openFiles++;
    this.#openFilesPeak = Math.max(this.#openFilesPeak, this.#openFiles);
  }

  /** A handle of `life` is closed. */
  noteClosed(life: number): void {
    if (life === this.#life) this.#openFiles--;
  }

  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  fail(order: DiskFailureOrder): DiskFailure {
    const failure = new DiskFailure(order);
    this.#failures.push(failure);
    return failure;
  }

  stopFailing(): void {
    this.#failures.length = 0;
  }

  /** For calls that change nothing. */
  pass(operation: DiskOperationName, path: string): void {
    this.#requirePower();
    const failure = this.#failures.find((armed) => armed.fails(operation, path));
    if (failure !== undefined) throw new DiskError(operation, path, failure.order.code);
  }

  /** For changes. `partly` does what a failing change does all the same. */
  begin(change: DiskChange, partly?: (failure: DiskFailure) => void): void {
    this.#requirePower();
    for (const listener of this.#listeners) listener(change, this.#changeCount);
    this.#changeCount++;
    const failure = this.#failures.find((armed) => armed.fails(change.kind, change.path));
    if (failure === undefined) return;
    partly?.(failure);
    throw new DiskError(change.kind, change.path, failure.order.code);
  }

  powerOff(): void {
    this.#isOff = true;
  }

  /** The next life begins; syncs that were waiting end in the old one. */
  restart(): void {
    this.#life++;
    this.#openFiles = 0;
    this.#isOff = false;
    this.openSyncs();
  }

  holdSyncs(): void {
    if (this.#held !== null) return;
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#held = { opened, open };
  }

  openSyncs(): void {
    this.#held?.open();
    this.#held = null;
  }

  /** Takes the time that a sync takes: until the next microtask, or until held syncs are let go. */
  async syncTime(operation: DiskOperationName, path: string): Promise<void> {
    const life = this.#life;
    await this.#held?.opened;
    if (life !== this.#life) throw new DiskError(operation, path, "EBADF");
  }

  #requirePower(): void {
    if (this.#isOff) throw new CrashSignal("a disk without power");
  }
}

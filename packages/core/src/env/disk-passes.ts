/**
 * The passes of `disk.<operation>.before` and `disk.<operation>.after`, for FaultDisk and what is open on it.
 *
 * Invariants: while nobody cares a change costs one comparison, and for which replica a file lies there is not asked.
 */
import { FaultError, type FaultSite } from "./fault-order.ts";
import type { FaultDiskOperation } from "./fault-point.ts";
import type { FaultPoints } from "./fault-points.ts";

/** Whose file or folder lies at a path. */
export type SiteOfPath = (path: string) => FaultSite | undefined;

export class DiskPasses {
  readonly #faults: FaultPoints;
  readonly #siteOf: SiteOfPath;

  constructor(faults: FaultPoints, siteOf: SiteOfPath) {
    this.#faults = faults;
    this.#siteOf = siteOf;
  }

  get isWatched(): boolean {
    return this.#faults.isWatched;
  }

  /** Does `act` between its two passes. `part` is what a write does that fails short of its end. */
  around<Result>(
    operation: FaultDiskOperation,
    path: string,
    act: () => Result,
    part?: (bytesWritten: number) => void,
  ): Result {
    if (!this.isWatched) return act();
    try {
      this.before(operation, path);
    } catch (problem) {
      if (problem instanceof FaultError && problem.bytesWritten > 0) part?.(problem.bytesWritten);
      throw problem;
    }
    const result = act();
    this.after(operation, path);
    return result;
  }

  before(operation: FaultDiskOperation, path: string): void {
    this.#faults.hit(`disk.${operation}.before`, this.#siteOf(path), path);
  }

  after(operation: FaultDiskOperation, path: string): void {
    this.#faults.hit(`disk.${operation}.after`, this.#siteOf(path), path);
  }

  /** As around(), for what waits. */
  aroundLater(operation: FaultDiskOperation, path: string, act: () => Promise<void>): Promise<void> {
    return this.isWatched ? this.#waitAround(operation, path, act) : act();
  }

  async #waitAround(operation: FaultDiskOperation, path: string, act: () => Promise<void>): Promise<void> {
    const site = this.#siteOf(path);
    await this.#faults.waitAt(`disk.${operation}.before`, site, path);
    await act();
    await this.#faults.waitAt(`disk.${operation}.after`, site, path);
  }
}

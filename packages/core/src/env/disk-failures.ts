/** Failures that a memory disk is told to have: which call, how often, with which code. */

import { ArmedFault, type FaultTimes } from "./armed-fault.ts";
import type { DiskOperationName } from "./disk.ts";

/** The operations that change a disk; between two of them lie the instants at which a crash makes a difference. */
export const DISK_CHANGES = [
  "create",
  "write",
  "truncate",
  "sync",
  "makeFolder",
  "rename",
  "remove",
  "removeFolder",
  "syncFolder",
] as const satisfies readonly DiskOperationName[];

export interface DiskFailureOrder {
  /** Which operation fails; "change" is any that changes the disk, "any" any at all. */
  readonly operation: DiskOperationName | "change" | "any";
  /** `ENOSPC`, `EIO`, `EMFILE`, … */
  readonly code: string;
  /** Only on this path, or on those that match. Default: on every path. */
  readonly path?: string | RegExp;
  /** Which of the matching calls fail, counted from 1. Default "once". */
  readonly times?: FaultTimes;
  /** How much of a failing write happens all the same. Default 0. */
  readonly bytesWritten?: number;
}

export class DiskFailure extends ArmedFault<DiskFailureOrder> {
  constructor(order: DiskFailureOrder) {
    super(order, `the failure of ${order.operation} with ${order.code}`);
  }

  /** Counts a matching call and says whether it fails. */
  fails(operation: DiskOperationName, path: string): boolean {
    return this.#matches(operation, path) && this.takeHit();
  }

  #matches(operation: DiskOperationName, path: string): boolean {
    const wanted = this.order;
    if (
      wanted.path instanceof RegExp
        ? !wanted.path.test(path)
        : wanted.path !== undefined && wanted.path !== path
    ) {
      return false;
    }
    if (wanted.operation === "any") return true;
    if (wanted.operation === "change") return DISK_CHANGES.some((change) => change === operation);
    return wanted.operation === operation;
  }
}

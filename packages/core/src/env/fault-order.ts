/** What a fault is armed with, what may be armed where, and what is thrown where it acts. */
import { BrokerError } from "../errors.ts";
import type { FaultTimes } from "./armed-fault.ts";
import { DiskError, type DiskOperationName } from "./disk.ts";
import { actionsAt, type FaultAction, type FaultPoint, waitsAt } from "./fault-point.ts";
import type { ReplicaPlace } from "./trace.ts";

/** Which replica the kernel was busy with. A rule that names some of it only sees hits that agree with it. */
export type FaultSite = Partial<ReplicaPlace>;

/** How the disk fails: the device, or for want of room. */
export type FaultErrno = "EIO" | "ENOSPC";

export interface FaultOrder {
  readonly point: FaultPoint;
  readonly action: FaultAction;
  /** Default "once". */
  readonly times?: FaultTimes;
  readonly site?: FaultSite;
  /** Of an error. Default EIO. */
  readonly errno?: FaultErrno;
  /** Of an error at `disk.write.before`: how many of the bytes are written all the same. Default 0. */
  readonly bytesWritten?: number;
  /** Of a delay, which has to say it: 0 or more, on the clock of whoever opened the cluster. */
  readonly delayMs?: number;
}

/** The only point that knows of bytes to be written. */
const SHORT_WRITE_POINT: FaultPoint = "disk.write.before";

/** Throws INVALID_REQUEST for an order that cannot be carried out, saying what can be. */
export function requireArmable(order: FaultOrder, canDelay: boolean): void {
  const { point, action, errno, bytesWritten, delayMs } = order;
  const actions = actionsAt(point);
  if (!actions.includes(action)) {
    throw refused(
      order,
      `${action} cannot be armed at ${point}, where the kernel does not wait; it can at points where it waits for a sync or an acknowledgement, such as disk.sync.before, and here can ${actions.join(" and ")}`,
    );
  }
  if (action === "delay" && !canDelay)
    throw refused(order, "nothing can be delayed here: this cluster was opened without a clock for delays");
  if (action === "delay" && (delayMs === undefined || !isCount(delayMs)))
    throw refused(order, `a delay says for how long, a whole number of milliseconds, not ${delayMs}`);
  if (action !== "delay" && delayMs !== undefined) throw refused(order, `${action} takes no delay`);
  if (action !== "error" && errno !== undefined) throw refused(order, `${action} takes no errno`);
  if (bytesWritten === undefined) return;
  if (action !== "error" || point !== SHORT_WRITE_POINT)
    throw refused(order, `a short write is an error at ${SHORT_WRITE_POINT}, not ${action} at ${point}`);
  if (!isCount(bytesWritten))
    throw refused(order, `the bytes written are a whole number, not ${bytesWritten}`);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function refused({ point, action }: FaultOrder, message: string): BrokerError {
  return new BrokerError("INVALID_REQUEST", message, { point, action, waits: waitsAt(point) });
}

const AS_IF: { readonly [Errno in FaultErrno]: string } = {
  EIO: "as if the device had failed",
  ENOSPC: "as if no space were left on the device",
};

/** The disk failed, because a rule said so. The kernel treats it as every other DiskError. */
export class FaultError extends DiskError {
  override readonly name = "FaultError";
  readonly point: FaultPoint;
  /** How many bytes the failing write writes all the same. */
  readonly bytesWritten: number;

  /** `path`: what the failing operation was about, where it is a file or a folder. */
  constructor({ point, errno = "EIO", bytesWritten = 0 }: FaultCause, path: string = point) {
    super(operationAt(point), path, errno);
    this.message = `the fault armed at ${point} fired, ${AS_IF[errno]} (${errno})`;
    this.point = point;
    this.bytesWritten = bytesWritten;
  }
}

type FaultCause = Pick<FaultOrder, "point" | "errno" | "bytesWritten">;

/** The kernel tells a sync that failed from other failures, since nothing that it covered can be trusted after it. */
function operationAt(point: FaultPoint): DiskOperationName {
  if (/^disk\.sync\.|\.before_sync$/.test(point)) return "sync";
  if (/^disk\.sync_folder\.|\.before_folder_sync$/.test(point)) return "syncFolder";
  return "write";
}

/** The process is dead from here on. No kernel code catches it; the test that armed it does, and reopens the disk. */
export class CrashSignal extends Error {
  override readonly name = "CrashSignal";
  readonly point: string;

  constructor(point: string) {
    super(`crashed at ${point}`);
    this.point = point;
  }
}

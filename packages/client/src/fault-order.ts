/** A fault as a program says it, and in the wire's names. */
import type { KernelFaultPointName, OperationName, RequestFields } from "@minikafka/protocol";
import { fieldNames } from "./usage.ts";

/** The way of a request, before it takes effect. Those of faults themselves have no point. */
export type RequestFaultPoint = `request.${Exclude<
  OperationName,
  | ("list_faults" | "arm_fault" | "disarm_faults" | "release_fault" | "crash")
  | (
      | "read_history"
      | "save_snapshot"
      | "load_snapshot"
      | "list_snapshots"
      | "delete_snapshot"
      | "diff_snapshots"
    )
>}`;

/** At a request, or a named point of the kernel. A newer broker may have others: the last member keeps completion for these. */
export type FaultPointName = RequestFaultPoint | KernelFaultPointName | (string & Record<never, never>);

type WireOrder = RequestFields<"arm_fault">;

/**
 * "error": it is not done, and fails. "delay" and "hold": it is done later. "drop_answer": it is done, and never answered.
 * "close": the connection is closed, and it is not done. "close_after": it is done, and the connection closed in place of the answer.
 * "crash": the process dies. `list` says which of them a point takes.
 */
export type FaultAction = WireOrder["action"];

/** Which hits it acts on, counted from 1 since it was armed. */
export type FaultTimes = NonNullable<WireOrder["times"]>;

/** What is armed. What makes no sense beside point and action is refused with INVALID_REQUEST, which says what does. */
export interface FaultOrder {
  readonly point: FaultPointName;
  readonly action: FaultAction;
  /** Default "once". */
  readonly times?: FaultTimes | undefined;
  /** Of an error at a request: the answer's code, which is required there. */
  readonly code?: WireOrder["code"];
  /** Of an error in the kernel. Default EIO. */
  readonly errno?: "EIO" | "ENOSPC" | undefined;
  /** Of an error where bytes are written: so many are, before it fails. */
  readonly bytesWritten?: number | undefined;
  /** Of a delay: for how long, on the broker's clock. */
  readonly delayMs?: number | undefined;
  readonly topic?: string | undefined;
  readonly partition?: number | undefined;
  readonly brokerId?: number | undefined;
  readonly groupId?: string | undefined;
  readonly transactionalId?: string | undefined;
}

export const ORDER_FIELDS = fieldNames<FaultOrder>({
  point: true,
  action: true,
  times: true,
  code: true,
  errno: true,
  bytesWritten: true,
  delayMs: true,
  topic: true,
  partition: true,
  brokerId: true,
  groupId: true,
  transactionalId: true,
});

export function wireOrder(order: FaultOrder): WireOrder {
  const { bytesWritten, delayMs, brokerId, groupId, transactionalId, ...same } = order;
  return {
    ...same,
    bytes_written: bytesWritten,
    delay_ms: delayMs,
    broker_id: brokerId,
    group_id: groupId,
    transactional_id: transactionalId,
  };
}

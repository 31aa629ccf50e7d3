/**
 * Named places where the kernel can be told to fail. The list is closed: a test that arms a point which no longer exists
 * doesn't compile, and a point that no test hits can be found by count.
 *
 * `before_x`: x has not happened. An "error" here means that x is not done and is reported as failed, so nothing that was
 * claimed to fail takes effect. `after_x`: x has happened. An "error" here means that whatever comes next is not done.
 */
import { assert } from "../assert.ts";
import { ArmedFault, type FaultTimes } from "./armed-fault.ts";
import { DiskError } from "./disk.ts";
import type { ReplicaPlace, Tracer } from "./trace.ts";

/** The files that are replaced atomically (log/files/checkpoint-file.ts), each with the same steps. */
const CHECKPOINT_NAMES = [
  "manifest",
  "producer_snapshot",
  "metadata",
  "identity",
  "producer_ids",
  "clean_shutdown",
  "high_watermarks",
  "broker_epoch",
] as const;
export type CheckpointName = (typeof CHECKPOINT_NAMES)[number];

/** `before_folder_sync` would be the same instant as `after_rename`. */
export const CHECKPOINT_STEPS = [
  "before_write",
  "before_sync",
  "before_rename",
  "after_rename",
  "after_folder_sync",
] as const;
export type CheckpointStep = (typeof CHECKPOINT_STEPS)[number];

const LOG_AND_CLUSTER_POINTS = [
  "log.append.before_write",
  "log.append.after_write",
  "log.append.before_undo",
  "log.flush.before_sync",
  "log.flush.after_sync",
  "log.flush.before_folder_sync",
  "log.flush.after_folder_sync",
  "log.roll.before_create",
  "log.roll.after_create",
  "log.index.before_write",
  "log.index.after_write",
  "log.time_index.after_write",
  "log.txn_index.before_write",
  "log.txn_index.after_write",
  "log.compact.before_create",
  "log.compact.before_write",
  "log.compact.after_write",
  "log.compact.before_sync",
  "log.compact.after_sync",
  "log.compact.before_folder_sync",
  "log.compact.after_folder_sync",
  "log.truncate.before_remove",
  "log.truncate.after_remove",
  "log.truncate.before_cut",
  "log.truncate.after_cut",
  "log.truncate.before_sync",
  "log.truncate.after_sync",
  "log.restart.before_create",
  "log.restart.after_create",
  "log.obsolete.before_remove",
  "log.obsolete.after_remove",
  "log.recovery.before_truncate",
  "log.recovery.after_truncate",
  "log.recovery.before_remove",
  "log.recovery.after_remove",
  "topic.create.before_folders",
  "topic.create.after_folders",
  "topic.create.after_metadata",
  "topic.grow.before_folders",
  "topic.grow.after_folders",
  "topic.grow.after_metadata",
  "topic.alter.before_metadata",
  "topic.alter.after_metadata",
  "topic.delete.before_metadata",
  "topic.delete.after_metadata",
  "topic.delete.before_remove",
  "topic.delete.after_remove",
  "coordinator.load.before_read",
  "coordinator.write.before_append",
  "coordinator.write.after_append",
  "transaction.add_partition.before_write",
  "transaction.add_partition.after_write",
  "transaction.prepare.before_write",
  "transaction.prepare.after_write",
  "transaction.marker.before_append",
  "transaction.marker.after_append",
  "transaction.complete.before_write",
  "transaction.complete.after_write",
] as const;

export type FaultPoint = (typeof LOG_AND_CLUSTER_POINTS)[number] | `${CheckpointName}.${CheckpointStep}`;

export const FAULT_POINTS: readonly FaultPoint[] = [
  ...LOG_AND_CLUSTER_POINTS,
  ...CHECKPOINT_NAMES.flatMap((name) => CHECKPOINT_STEPS.map((step) => `${name}.${step}` as const)),
];

/** True for a name of the list; names from outside (a test script, the wire) are asked first. */
export function isFaultPoint(name: string): name is FaultPoint {
  return FAULT_POINTS.some((point) => point === name);
}

/** Which replica the kernel was busy with. A rule that names some of it only sees hits that agree with it. */
export type FaultSite = Partial<ReplicaPlace>;

/** "error": as a disk that fails with EIO. "crash": as a process that dies here. */
export type FaultAction = "error" | "crash";

export interface FaultOrder {
  readonly point: FaultPoint;
  readonly action: FaultAction;
  /** Default "once". */
  readonly times?: FaultTimes;
  readonly site?: FaultSite;
}

/** The disk failed, because a rule said so. The kernel treats it as every other DiskError. */
export class FaultError extends DiskError {
  override readonly name = "FaultError";
  readonly point: FaultPoint;

  constructor(point: FaultPoint) {
    super("write", point, "EIO");
    this.message = `the fault armed at ${point} fired, as if the device had failed (EIO)`;
    this.point = point;
  }
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

/** An armed fault at a point. */
export class FaultRule extends ArmedFault<FaultOrder> {
  constructor(order: FaultOrder) {
    super(order, `the fault at ${order.point}`);
  }
}

export interface FaultPointsOptions {
  /** Told of each fault that acts. */
  readonly trace?: Tracer;
  /** Called just before a CrashSignal is thrown, so that a memory disk can stop in the same instant. */
  readonly onCrash?: () => void;
}

/**
 * Owns the armed rules. With none armed a hit costs one comparison.
 * Further actions (delay, hold) are members of FaultAction.
 */
export class FaultPoints {
  readonly #rules: FaultRule[] = [];
  readonly #options: FaultPointsOptions;
  #counts: Map<FaultPoint, number> | null = null;

  constructor(options: FaultPointsOptions = {}) {
    this.#options = options;
  }

  /** Arms a fault until it is disarmed. Several rules may wait at one point: the first that acts ends the hit. */
  arm(order: FaultOrder): FaultRule {
    assert(isFaultPoint(order.point), `no fault point is called ${order.point}`);
    const rule = new FaultRule(order);
    this.#rules.push(rule);
    return rule;
  }

  /** Disarms one rule, or all. */
  disarm(rule?: FaultRule): void {
    if (rule === undefined) this.#rules.length = 0;
    else if (this.#rules.includes(rule)) this.#rules.splice(this.#rules.indexOf(rule), 1);
  }

  /** The armed rules, oldest first. */
  rules(): readonly FaultRule[] {
    return this.#rules;
  }

  /** From now on counts the passes of every point, armed or not, so that a test can show what it reached. */
  countHits(): ReadonlyMap<FaultPoint, number> {
    this.#counts ??= new Map();
    return this.#counts;
  }

  /** Called by the kernel as it passes `point`. Throws FaultError or CrashSignal when a rule acts. */
  hit(point: FaultPoint, site?: FaultSite): void {
    if (this.#counts !== null) this.#counts.set(point, (this.#counts.get(point) ?? 0) + 1);
    if (this.#rules.length === 0) return;
    for (const rule of this.#rules) {
      if (rule.order.point === point && agrees(rule.order.site, site) && rule.takeHit()) this.#act(rule);
    }
  }

  #act(rule: FaultRule): never {
    const { point, action } = rule.order;
    this.#options.trace?.({ kind: "fault_fired", point, action, hit: rule.hits });
    if (action === "error") throw new FaultError(point);
    this.#options.onCrash?.();
    throw new CrashSignal(point);
  }
}

function agrees(wanted: FaultSite | undefined, seen: FaultSite | undefined): boolean {
  if (wanted === undefined) return true;
  return (
    (wanted.brokerId === undefined || wanted.brokerId === seen?.brokerId) &&
    (wanted.topic === undefined || wanted.topic === seen?.topic) &&
    (wanted.partition === undefined || wanted.partition === seen?.partition)
  );
}

/**
 * The world as a parameter. The kernel has no other way to learn the time, to reach a disk, to draw a random number, to
 * say what it did or to be told to fail: each is handed in when a cluster is opened and passed down, never global. Two
 * runs with equal parts and equal calls give equal bytes.
 */
import type { Compression } from "@minikafka/record";
import type { Clock } from "./clock.ts";
import type { Disk } from "./disk.ts";
import type { FaultPoints } from "./fault-points.ts";
import type { Random } from "./random.ts";
import type { Tracer } from "./trace.ts";

export interface Env {
  readonly clock: Clock;
  readonly disk: Disk;
  readonly random: Random;
  readonly trace: Tracer;
  readonly faults: FaultPoints;
  /** What unpacks the records of compressed batches. Left out: such batches are refused, and those that are there not looked into. */
  readonly compression?: Compression | undefined;
  /** Awaited between the parts of long work, so that others who share the thread have their turn. Left out: there are none. */
  readonly pause?: () => Promise<void>;
}

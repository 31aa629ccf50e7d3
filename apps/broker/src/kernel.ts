/** A cluster with what stands and falls with it: its clock, its chance, the deadlines and the waits on its time. */
import { resolve } from "node:path";
import { compression } from "@minikafka/compression";
import {
  BrokerCluster,
  type Disk,
  FaultPoints,
  ManualClock,
  type Random,
  SeededRandom,
  type SystemClock,
  SystemRandom,
  type Tracer,
} from "@minikafka/core";
import type { Settings } from "./config.ts";
import { Deadlines } from "./deadlines.ts";
import { dialsOf } from "./dials.ts";
import { Delays } from "./faults/delays.ts";
import { FaultBook } from "./faults/fault-book.ts";
import type { Origin } from "./history/origin.ts";
import { openFilesDefault } from "./open-files.ts";
import { Parking } from "./parking.ts";
import { aTurnForOthers } from "./ticker.ts";

/** Kafka: segment.bytes is 1 GiB; 64 MiB keeps what a crash leaves to scan short. */
const SEGMENT_BYTES_AUTO = 64 * 1024 * 1024;
const SEGMENT_BYTES_MANUAL = 1024 * 1024;
/** The metadata of some thousand partitions has room in it, which is what the deletion of a topic has to write. */
const RESERVE_BYTES = 256 * 1024;

export interface Kernel {
  readonly cluster: BrokerCluster;
  readonly clock: ManualClock | SystemClock;
  readonly random: Random;
  /** Deadlines of requests, on the clock's time. */
  readonly deadlines: Deadlines;
  readonly parking: Parking;
  /** Awaited between the parts of long work. */
  readonly pause: () => Promise<void>;
  /** The waits of faults. */
  readonly delays: Delays;
  readonly faults: FaultBook;
}

export interface KernelWorld {
  readonly clock: ManualClock | SystemClock;
  readonly disk: Disk;
  readonly trace: Tracer;
  /** Of the program that the broker is a part of. */
  readonly faults?: FaultPoints | undefined;
  /** Called in the instant in which a fault lets the process die. */
  readonly onCrash?: ((at: string) => void) | undefined;
  /** `null` in auto mode, where time and chance are the system's. */
  readonly origin: Origin | null;
  readonly realTime: Deadlines;
}

/** As text that the kernel's disk takes on every system. */
export function dataFolderOf({ data }: Pick<Settings, "data">): string {
  return resolve(data).replaceAll("\\", "/");
}

/** Rejects with DataFolderRefused or a BrokerError. */
export async function openKernel(settings: Settings, world: KernelWorld): Promise<Kernel> {
  const { clock, disk, trace, origin, realTime, onCrash } = world;
  const isManual = origin !== null;
  const random = isManual ? new SeededRandom(origin.drawnSeed) : new SystemRandom();
  const deadlines = clock instanceof ManualClock ? Deadlines.ofSteppedTime(clock) : realTime;
  const delays = new Delays(deadlines);
  const delay = (ms: number) => delays.wait(ms);
  const faults =
    world.faults ?? new FaultPoints({ trace, delay, ...(onCrash === undefined ? {} : { onCrash }) });
  // Who takes turns with others is not alone in saying what comes next.
  const pause = isManual ? async () => undefined : aTurnForOthers;
  const cluster = await BrokerCluster.open(
    {
      dataFolder: dataFolderOf(settings),
      brokerIds: Array.from({ length: settings.brokers }, (_none, index) => index + 1),
      segmentBytes: settings.segment_bytes ?? (isManual ? SEGMENT_BYTES_MANUAL : SEGMENT_BYTES_AUTO),
      compactionBufferBytes: settings.compaction_buffer_bytes,
      flush: settings.flush,
      reserveBytes: RESERVE_BYTES,
      openFilesMax: settings.open_files_max ?? openFilesDefault(),
      ...dialsOf(settings),
    },
    { clock, disk, random, trace, faults, pause, compression },
  );
  const parking = new Parking(cluster, deadlines);
  return { cluster, clock, random, deadlines, parking, pause, delays, faults: new FaultBook(faults, trace) };
}

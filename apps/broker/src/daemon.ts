/**
 * The daemon: a cluster, the listener before it, the ticker behind it.
 *
 * Owns the order of starting: folder, cluster, listener, ticker. How it ends is in ending.ts.
 */
import type { Duplex } from "node:stream";
import {
  type BrokerCluster,
  CrashSignal,
  ManualClock,
  NodeDisk,
  SystemClock,
  type Tracer,
} from "@minikafka/core";
import type { Logger } from "pino";
import type { BrokerContext } from "./broker-context.ts";
import { type BrokerOptions, programSettings } from "./broker-options.ts";
import type { Settings } from "./config.ts";
import { Sequence } from "./connections/sequence.ts";
import { Deadlines } from "./deadlines.ts";
import { Doors } from "./doors.ts";
import { Ending } from "./ending.ts";
import { EventFeed } from "./event-feed.ts";
import type { FaultListing } from "./faults/fault-book.ts";
import { GRACE_MS } from "./grace.ts";
import type { HeldDisk } from "./history/held-disk.ts";
import { History } from "./history/history.ts";
import { Recorder } from "./history/recorder.ts";
import { type BrokerAddress, NO_SITE } from "./kafka/kafka-site.ts";
import { dataFolderOf, type Kernel, openKernel } from "./kernel.ts";
import { openLog, stepProblemTo, traceTo } from "./logging.ts";
import { type ManualWorld, openManualWorld, undoLoad } from "./manual-world.ts";
import { Replicator } from "./replicator.ts";
import { removeUnfinished } from "./snapshots/folder-restore.ts";
import { Patience } from "./snapshots/given-up.ts";
import { Past } from "./snapshots/past.ts";
import { Remaking } from "./snapshots/remaking.ts";
import { Shelf } from "./snapshots/shelf.ts";
import type { Stage } from "./stage.ts";
import { tickedSteps } from "./ticked-steps.ts";
import { Ticker } from "./ticker.ts";
import { Tracers } from "./tracers.ts";

/** A running broker. */
export interface Broker {
  readonly settings: Settings;
  readonly cluster: BrokerCluster;
  /** What chance is drawn from with a manual clock; else `null`. */
  readonly seed: number | null;
  /** Where it listens for lines of JSON, or `null`. */
  readonly address: { readonly host: string; readonly port: number } | null;
  /** Where Kafka's clients are told to connect, by broker; none where it listens for none. */
  readonly kafkaAddresses: readonly BrokerAddress[];
  /** Where it tells metrics, health, state and events over HTTP, or `null`. */
  readonly httpAddress: { readonly host: string; readonly port: number } | null;
  /** It was closed or killed, or is being so. */
  readonly hasEnded: boolean;
  /** A connection without a socket; see in-process-link.ts. */
  connectInProcess(): Duplex;
  /** What can be armed, and what is, with its counts: as list_faults, but that it is told of one that has died as well. */
  listFaults(): FaultListing;
  /** Calls `listener` from within the kernel: it must not throw, nor call back into it. Returns how to end that. */
  onEvent(listener: Tracer): () => void;
  /** Answers what is in hand, flushes, and lets the data folder go. Rejects when something could not be made durable. */
  close(): Promise<void>;
  /** As kill -9, also in the middle of a close: nobody is answered, nothing is written or waited for. Lets the data folder go. */
  kill(): Promise<void>;
}

/**
 * Starts a broker; resolves when clients can produce. Rejects with ConfigProblem, DataFolderRefused, AddressUnavailable, or
 * a BrokerError, and then leaves nothing behind that is running.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const settings = programSettings(options);
  const log = options.log ?? (await openLog(settings.log_level));
  const manual = settings.clock === "manual" ? await openManualWorld(settings, options.disk) : null;
  const disk = manual?.disk ?? options.disk ?? new NodeDisk();
  if (manual === null) await undoLoad(disk, dataFolderOf(settings));
  const clock = manual === null ? new SystemClock() : new ManualClock(manual.origin.startTimeMs);
  const events = new EventFeed(clock);
  const recorder = manual && new Recorder(new History(manual.origin.image, settings.history_max_bytes));
  if (recorder !== null) events.keepWith(recorder);
  manual?.watched.tell((failure) => recorder?.failed(failure));
  const tracers = new Tracers(traceTo(log), events);
  const { faults, onCrash } = options;
  const realTime = Deadlines.ofRealTime();
  const trace = tracers.next();
  const world = { clock, disk, trace, faults, onCrash, origin: manual?.origin ?? null, realTime };
  const kernel = await openKernel(settings, world).catch(async (error: unknown) => {
    await manual?.disk.letGo();
    throw error;
  });
  removeUnfinished(disk, dataFolderOf(settings));
  const crash = (at: string): never => {
    onCrash?.(at);
    throw new CrashSignal(at);
  };
  const parts = { options, kernel, log, events, realTime, crash, tracers, manual, recorder };
  const daemon = new Daemon(settings, parts, options.onBroken ?? throwLater);
  try {
    await daemon.settled();
    await daemon.listen(options.listen ?? true);
  } catch (error) {
    await daemon.close();
    throw error;
  }
  return daemon;
}

/** Out of whatever called: nobody on the way may catch it. */
function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error;
  });
}

interface DaemonParts {
  readonly options: BrokerOptions;
  readonly kernel: Kernel;
  readonly log: Logger;
  readonly events: EventFeed;
  readonly realTime: Deadlines;
  readonly crash: BrokerContext["crash"];
  readonly tracers: Tracers;
  /** `null` in auto mode, as is the recorder. */
  readonly manual: ManualWorld | null;
  readonly recorder: Recorder | null;
}

class Daemon implements Broker {
  readonly settings: Settings;
  address: { host: string; port: number } | null = null;
  readonly #stage: Stage;
  /** In manual mode. */
  readonly #sequence: Sequence | null;
  readonly #doors: Doors;
  readonly #onBroken: (error: Error) => void;
  readonly #ending: Ending;

  constructor(settings: Settings, parts: DaemonParts, onBroken: (error: Error) => void) {
    const { kernel, log, events, realTime, crash, manual, recorder } = parts;
    const { cluster } = kernel;
    this.settings = settings;
    const isManual = manual !== null;
    const isLab = settings.lab || isManual;
    const settled = { fireDue: () => this.#stage.deadlines.fireDue() };
    const sequence = isManual ? new Sequence(settled) : null;
    this.#sequence = sequence;
    const hold = <Result>(work: Promise<Result>): Promise<Result> => sequence?.hold(work) ?? work;
    const seed = manual?.origin.seed ?? null;
    const places = { kafka: NO_SITE, httpPort: null };
    const stage: Stage = { ...kernel, isLab, seed, events, hold, crash, ...places, past: null };
    this.#stage = stage;
    this.#onBroken = onBroken;
    const broken = (error: Error) => this.#broken(error);
    this.#doors = new Doors({ settings, stage, log, events, realTime, sequence, recorder, onBroken: broken });
    stage.kafka = this.#doors.kafka;
    if (manual !== null) stage.past = this.#pastOf(parts, manual.disk);
    const tellProblem = stepProblemTo(log);
    const onProblem = (step: string, problem: unknown): void => {
      tellProblem(step, problem);
      if (problem instanceof CrashSignal) this.#broken(problem);
    };
    const { steps, config } = cluster;
    const ticked = tickedSteps(cluster, { ...settings, ...config }, stage.deadlines);
    this.#ending = new Ending({
      ...{ doors: this.#doors, stage, realTime, sequence, onCrash: broken },
      ticker: isManual ? null : new Ticker(ticked, onProblem),
      replicator: isManual ? null : new Replicator(steps, (err) => onProblem("replicate_once", err)),
      graceMs: parts.options.graceMs ?? GRACE_MS,
    });
  }

  #broken(error: Error): void {
    if (error instanceof CrashSignal) {
      // A process that is dead has no connections any more, and its background work is nobody's news.
      if (!this.#ending.die()) return;
    }
    this.#onBroken(error);
  }

  get cluster(): BrokerCluster {
    return this.#stage.cluster;
  }

  get kafkaAddresses(): readonly BrokerAddress[] {
    return this.#doors.kafka.addresses;
  }

  get httpAddress(): { readonly host: string; readonly port: number } | null {
    return this.#doors.http?.address ?? null;
  }

  get seed(): number | null {
    return this.#stage.seed;
  }

  #pastOf(parts: DaemonParts, disk: HeldDisk): Past | null {
    const { options, events, realTime, tracers, manual, recorder } = parts;
    const sequence = this.#sequence;
    if (manual === null || recorder === null || sequence === null) return null;
    const { settings } = this;
    const stage = this.#stage;
    const folder = dataFolderOf(settings);
    const patience = new Patience();
    const remaking = new Remaking({
      ...{ settings, folder, disk, stage, events, recorder, realTime },
      onBroken: (error) => this.#broken(error),
      doors: this.#doors,
      onCrash: options.onCrash,
      hasForeignFaults: options.faults !== undefined,
      nextTracer: () => tracers.next(),
      patience,
    });
    return new Past({
      startTimeMs: manual.origin.startTimeMs,
      ...{ settings, folder, recorder, remaking, patience, sequence },
      shelf: new Shelf(disk, folder, settings.snapshots_max_bytes),
      places: () => ({ kafka: this.#doors.kafka.addresses, httpPort: stage.httpPort }),
      now: () => ({ timeMs: stage.clock.nowMs(), seed: stage.seed ?? 0 }),
    });
  }

  /** Resolves when the opening has set nothing off any more that comes by itself with a manual clock. */
  async settled(): Promise<void> {
    await this.#sequence?.settled();
  }

  async listen(hasJsonPort: boolean): Promise<void> {
    this.address = await this.#doors.listen(hasJsonPort);
    this.#stage.httpPort = this.httpAddress?.port ?? null;
  }

  connectInProcess(): Duplex {
    if (this.#ending.hasBegun) throw new Error("the broker is closed; start another one to connect to it");
    return this.#doors.connectInProcess();
  }

  get hasEnded(): boolean {
    return this.#ending.hasBegun;
  }

  listFaults(): FaultListing {
    return this.#stage.faults.listing();
  }

  onEvent(listener: Tracer): () => void {
    return this.#stage.events.listen(listener);
  }

  close(): Promise<void> {
    return this.#ending.close();
  }

  kill(): Promise<void> {
    return this.#ending.kill();
  }
}

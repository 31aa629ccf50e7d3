/**
 * The daemon: a cluster, the listener before it, the ticker behind it.
 *
 * Owns the order of starting (folder, cluster, listener, ticker) and of stopping (nobody new, answers that are owed, ticker,
 * cluster). Once `close` has resolved there is no socket, no timer and no open file left.
 */
import { resolve } from "node:path";
import type { Duplex } from "node:stream";
import {
  BrokerCluster,
  CrashSignal,
  FaultPoints,
  ManualClock,
  NodeDisk,
  SystemClock,
  SystemRandom,
  type Tracer,
} from "@minikafka/core";
import type { Logger } from "pino";
import { type BrokerOptions, programSettings } from "./broker-options.ts";
import type { Settings } from "./config.ts";
import { Deadlines } from "./deadlines.ts";
import { dialsOf } from "./dials.ts";
import { EventFeed } from "./event-feed.ts";
import { Delays } from "./faults/delays.ts";
import { FaultBook } from "./faults/fault-book.ts";
import type { ConnectionLimits } from "./json/connection-options.ts";
import { Dispatcher } from "./json/dispatch.ts";
import type { BrokerContext } from "./json/handler.ts";
import { Listener } from "./json/listener.ts";
import { OutputBudget } from "./json/output-budget.ts";
import { openLog, stepProblemTo, traceTo } from "./logging.ts";
import { connectionsDefault, openFilesDefault } from "./open-files.ts";
import { Parking } from "./parking.ts";
import { Replicator } from "./replicator.ts";
import { tickedSteps } from "./ticked-steps.ts";
import { aTurnForOthers, Ticker } from "./ticker.ts";

/** Kafka: segment.bytes is 1 GiB; 64 MiB keeps what a crash leaves to scan short. */
const SEGMENT_BYTES_AUTO = 64 * 1024 * 1024;
/** The metadata of some thousand partitions has room in it, which is what the deletion of a topic has to write. */
const RESERVE_BYTES = 256 * 1024;
const REQUESTS_IN_HAND_MAX = 64;
const OUTPUT_PAUSE_BYTES = 256 * 1024;
const OUTPUT_STALL_MS = 30_000;
/** A burst of a few thousand events is borne; see json/watching.ts. */
const EVENT_BYTES_MAX = 1024 * 1024;
/** Of all connections together; see output-budget.ts. */
const OUTPUT_BUDGET = { bytesMax: 256 * 1024 * 1024, patienceMs: 1_000 };
/** Kafka: connections.max.idle.ms. */
const IDLE_MS = 600_000;
const LINGER_MS = 2_000;
/** A client of a stopping daemon has read its last answer by then, or will read it from its own buffers. */
const LINGER_STOPPING_MS = 200;
/** How long a stopping daemon waits for answers that are owed. */
const DRAIN_MS = 5_000;

/** A running broker. */
export interface Broker {
  readonly settings: Settings;
  readonly cluster: BrokerCluster;
  /** Where it listens, or `null`. */
  readonly address: { readonly host: string; readonly port: number } | null;
  /** A connection without a socket; see in-process-link.ts. */
  connectInProcess(): Duplex;
  /** Answers what is in hand, flushes, and lets the data folder go. Rejects when something could not be made durable. */
  close(): Promise<void>;
}

/**
 * Starts a broker; resolves when clients can produce. Rejects with ConfigProblem, DataFolderRefused, AddressUnavailable, or
 * a BrokerError, and then leaves nothing behind that is running.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const settings = programSettings(options);
  const log = options.log ?? (await openLog(settings.log_level));
  const clock = settings.clock === "manual" ? new ManualClock(settings.start_time ?? 0) : new SystemClock();
  const events = new EventFeed(clock);
  const logEvent = traceTo(log);
  const trace: Tracer = (event) => {
    logEvent(event);
    events.trace(event);
  };
  const { onCrash } = options;
  const realTime = Deadlines.ofRealTime();
  const deadlines = clock instanceof ManualClock ? Deadlines.ofSteppedTime(clock) : realTime;
  const delays = new Delays(deadlines);
  const faults =
    options.faults ??
    new FaultPoints({
      trace,
      delay: (ms) => delays.wait(ms),
      ...(onCrash === undefined ? {} : { onCrash }),
    });
  const cluster = await BrokerCluster.open(
    {
      dataFolder: resolve(settings.data).replaceAll("\\", "/"),
      brokerIds: Array.from({ length: settings.brokers }, (_none, index) => index + 1),
      segmentBytes:
        settings.segment_bytes ?? (settings.clock === "manual" ? 1024 * 1024 : SEGMENT_BYTES_AUTO),
      compactionBufferBytes: settings.compaction_buffer_bytes,
      flush: settings.flush,
      reserveBytes: RESERVE_BYTES,
      openFilesMax: settings.open_files_max ?? openFilesDefault(),
      ...dialsOf(settings),
    },
    {
      clock,
      disk: options.disk ?? new NodeDisk(),
      random: new SystemRandom(),
      trace,
      faults,
      pause: aTurnForOthers,
    },
  );
  const crash = (at: string): never => {
    onCrash?.();
    throw new CrashSignal(at);
  };
  const book = new FaultBook(faults, trace);
  const parts = { cluster, clock, log, events, realTime, deadlines, faults: book, delays, crash };
  const daemon = new Daemon(settings, parts, options.onBroken ?? throwLater);
  try {
    if (options.listen !== false) await daemon.listen();
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
  readonly cluster: BrokerCluster;
  readonly clock: ManualClock | SystemClock;
  readonly log: Logger;
  readonly events: EventFeed;
  readonly realTime: Deadlines;
  /** Those of requests. */
  readonly deadlines: Deadlines;
  readonly faults: FaultBook;
  readonly delays: Delays;
  readonly crash: BrokerContext["crash"];
}

class Daemon implements Broker {
  readonly settings: Settings;
  readonly cluster: BrokerCluster;
  address: { host: string; port: number } | null = null;
  readonly #deadlines: Deadlines;
  readonly #realTime: Deadlines;
  readonly #parking: Parking;
  readonly #faults: FaultBook;
  readonly #delays: Delays;
  readonly #dispatcher: Dispatcher;
  readonly #listener: Listener;
  readonly #ticker: Ticker | null;
  readonly #replicator: Replicator | null;
  #closing: Promise<void> | null = null;

  constructor(settings: Settings, parts: DaemonParts, onBroken: (error: Error) => void) {
    const { cluster, clock, log, events, realTime, deadlines, faults, delays, crash } = parts;
    this.settings = settings;
    this.cluster = cluster;
    this.#realTime = realTime;
    const isManual = clock instanceof ManualClock;
    this.#deadlines = deadlines;
    this.#parking = new Parking(cluster, this.#deadlines);
    this.#faults = faults;
    this.#delays = delays;
    const isLab = settings.lab || isManual;
    const context: BrokerContext = {
      cluster,
      clock,
      isLab,
      deadlines: this.#deadlines,
      parking: this.#parking,
      events,
      faults,
      delays,
      crash,
    };
    const onFailure = (error: Error): void => {
      // A process that is dead has no connections any more.
      if (error instanceof CrashSignal) this.#listener.destroyAll();
      onBroken(error);
    };
    this.#dispatcher = new Dispatcher({
      context,
      onFault: (faultId, operation, err) => log.error({ faultId, operation, err }, "internal error"),
      onBroken: onFailure,
    });
    this.#listener = new Listener({
      dispatcher: this.#dispatcher,
      limits: limitsOf(settings),
      realTime: this.#realTime,
      budget: new OutputBudget(OUTPUT_BUDGET, this.#realTime),
      connectionsMax: settings.max_connections ?? connectionsDefault(cluster.config.openFilesMax),
      onClosing: (peer, reason) => log.debug({ peer, reason }, "connection closing"),
    });
    const onProblem = stepProblemTo(log);
    const { steps, config } = cluster;
    const ticked = tickedSteps(cluster, { ...settings, ...config }, this.#deadlines);
    this.#ticker = isManual ? null : new Ticker(ticked, onProblem);
    this.#replicator = isManual ? null : new Replicator(steps, (err) => onProblem("replicate_once", err));
  }

  async listen(): Promise<void> {
    this.address = await this.#listener.listen(this.settings.host, this.settings.port);
  }

  connectInProcess(): Duplex {
    if (this.#closing !== null) throw new Error("the broker is closed; start another one to connect to it");
    return this.#listener.connectInProcess();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#listener.refuseNew();
    this.#dispatcher.stop();
    this.#parking.endAll();
    this.#faults.releaseAll();
    this.#delays.end();
    const lost = this.#realTime.after(DRAIN_MS, () => this.#listener.destroyAll());
    // Who asks for something while others are owed an answer is told SHUTTING_DOWN.
    await this.#listener.answered();
    await this.#listener.endAll(LINGER_STOPPING_MS);
    lost.cancel();
    await this.#replicator?.stop();
    // A compaction under way may have long to go: the closing of its log ends it.
    const stopped = this.#ticker?.stop();
    this.#deadlines.close();
    this.#realTime.close();
    try {
      await this.cluster.close();
    } finally {
      await stopped;
    }
  }
}

function limitsOf(settings: Settings): ConnectionLimits {
  return {
    frameBytesMax: settings.max_frame_bytes,
    requestsInHandMax: REQUESTS_IN_HAND_MAX,
    idleMs: IDLE_MS,
    lingerMs: LINGER_MS,
    output: {
      pauseBytes: OUTPUT_PAUSE_BYTES,
      bytesMax: settings.max_output_bytes,
      stallMs: OUTPUT_STALL_MS,
      eventBytesMax: Math.min(EVENT_BYTES_MAX, settings.max_output_bytes / 2),
    },
  };
}

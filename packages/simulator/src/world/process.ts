/**
 * The process that runs the cluster, from one life to the next, over the disk that it leaves behind.
 *
 * Owns: the disk, the cluster of the moment, the fault points.
 * Invariants: one life at a time; nothing that a dead one still does reaches the disk of the next; whoever is connected hears of the end.
 * Never: an answer of a life that is over.
 */
import { posix } from "node:path";
import {
  BrokerCluster,
  BrokerError,
  type ClusterConfig,
  DataFolderRefused,
  DiskError,
  FaultPoints,
} from "@minikafka/core";
import { type Crash, MemoryDisk } from "@minikafka/core/testing";
import type { Chance } from "../chance.ts";
import type { Recorder } from "../history/recorder.ts";
import type { Meantime } from "./meanwhile.ts";
import type { SimClock } from "./sim-clock.ts";
import type { Timeline } from "./timeline.ts";
import type { Witness } from "./witness.ts";

export type DiskFate = Crash["mode"];

export interface ProcessParts {
  readonly config: ClusterConfig;
  readonly timeline: Timeline;
  readonly clock: SimClock;
  readonly recorder: Recorder;
  readonly witness: Witness;
  readonly chance: Chance;
  readonly meanwhile: Meantime;
}

/** Whoever runs the daemon starts it again so long after it would not start. */
const START_AGAIN_MS = 20;

export class SimProcess {
  readonly #parts: ProcessParts;
  readonly faults: FaultPoints;
  disk = new MemoryDisk();
  /** What an armed crash leaves of the disk. */
  fateAtFault: DiskFate = "kept";
  downMsAtFault = 0;
  #cluster: BrokerCluster | null = null;
  #life = 0;
  #isDying = false;
  /** It is not to be started before somebody says so. */
  #isClosing = false;
  readonly #onEnd = new Set<() => void>();
  /** Marks that the disk did not take: whoever runs the daemon is told, and leaves them before the next start. */
  readonly #marksByHand = new Set<string>();

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    parts.witness.listen((event) => {
      if (event.kind !== "broker_failed" && event.kind !== "log_offline") return;
      const [, path] = /create the empty file (\S+) before you start it/.exec(event.problem) ?? [];
      if (path !== undefined) this.#marksByHand.add(path);
    });
    const delay = (delayMs: number) =>
      new Promise<void>((resolve) => void parts.timeline.plan(delayMs, resolve));
    this.faults = new FaultPoints({ trace: parts.witness.trace, onCrash: () => this.#dieAtFault(), delay });
  }

  /** The cluster that serves requests, `null` while there is none. */
  get cluster(): BrokerCluster | null {
    return this.#isDying ? null : this.#cluster;
  }

  /** Rises with each end. */
  get life(): number {
    return this.#life;
  }

  get isDying(): boolean {
    return this.#isDying;
  }

  get isUp(): boolean {
    return this.cluster !== null && !this.#isClosing;
  }

  /** `listener` is called at each end of a life. */
  onEnd(listener: () => void): void {
    this.#onEnd.add(listener);
  }

  /** `listener` is called once, at the end of this life. */
  onNextEnd(listener: () => void): void {
    const once = () => {
      this.#onEnd.delete(once);
      listener();
    };
    this.#onEnd.add(once);
  }

  start(): void {
    if (!this.#leavesMarks()) return void this.#parts.timeline.plan(START_AGAIN_MS, () => this.start());
    const life = this.#life;
    const { config, clock, witness, chance, timeline, recorder } = this.#parts;
    const env = {
      clock,
      disk: this.disk,
      random: chance,
      trace: witness.trace,
      faults: this.faults,
      pause: () => this.#pause(),
    };
    BrokerCluster.open(config, env).then(
      (cluster) => {
        if (life !== this.#life || this.#isDying) return;
        this.#cluster = cluster;
        const { flush, reconciliation, highWatermarkCheckpoint, rebalance } = cluster.config;
        const dials = { flush, reconciliation, highWatermarkCheckpoint, rebalance };
        recorder.happened({ kind: "process_started", dials });
        witness.started(cluster);
      },
      (problem: unknown) => {
        if (life !== this.#life || this.#isDying) return;
        if (!(problem instanceof BrokerError || problem instanceof DataFolderRefused))
          return witness.broken(problem);
        witness.notStarted(problem);
        this.#end({ mode: "kept" });
        timeline.plan(START_AGAIN_MS, () => this.start());
      },
    );
  }

  /** The process dies, and what was not synced has the fate that is said. It starts again `downMs` later. */
  kill(fate: DiskFate, chance: Chance, downMs: number): void {
    const { recorder, timeline, meanwhile } = this.#parts;
    recorder.happened({ kind: "process_crashed", disk: fate });
    meanwhile.died({ wasOpen: this.#cluster !== null });
    this.#end(fate === "kept" || fate === "lost" ? { mode: fate } : { mode: fate, random: chance });
    timeline.plan(downMs, () => this.start());
  }

  /** It ends as it should, and starts again `downMs` later. */
  close(downMs: number): void {
    const { recorder, timeline, witness } = this.#parts;
    const [life, cluster] = [this.#life, this.cluster];
    if (cluster === null || this.#isClosing) return;
    this.#isClosing = true;
    const closed = (clean: boolean) => {
      if (life !== this.#life || this.#isDying) return;
      recorder.happened({ kind: "process_closed", clean });
      this.#end({ mode: "kept" });
      timeline.plan(downMs, () => this.start());
    };
    cluster.close().then(
      () => closed(true),
      (problem: unknown) => {
        if (!(problem instanceof BrokerError)) return witness.broken(problem);
        closed(false);
      },
    );
  }

  /** It dies in the middle of what it does, and is buried when that has come to its end. */
  dieNow(fate: DiskFate, downMs: number): void {
    this.fateAtFault = fate;
    this.downMsAtFault = downMs;
    this.#dieAtFault();
  }

  /** Whether an armed crash has struck: then the process is buried, as kill() does. */
  bury(chance: Chance): boolean {
    if (!this.#isDying) return false;
    this.kill(this.fateAtFault, chance, this.downMsAtFault);
    return true;
  }

  #leavesMarks(): boolean {
    for (const path of this.#marksByHand) {
      try {
        const isThere = this.disk.stat(posix.dirname(path)) !== null;
        if (isThere) this.disk.openFile(path, { create: "if-missing" }).close();
      } catch (problem) {
        if (problem instanceof DiskError) return false;
        throw problem;
      }
      this.#marksByHand.delete(path);
    }
    return true;
  }

  #dieAtFault(): void {
    this.#isDying = true;
    this.disk.powerOff();
  }

  #end(crash: Crash): void {
    const { witness } = this.#parts;
    const [cluster, disk] = [this.#cluster, this.disk];
    this.#cluster = null;
    this.#life++;
    this.#isClosing = false;
    this.#isDying = false;
    cluster?.crash().catch(() => {});
    disk.crash(crash);
    // What the dead one may still do, it does to a disk that is its own.
    this.disk = disk.clone();
    disk.powerOff();
    witness.ended();
    for (const listener of [...this.#onEnd]) listener();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#parts.timeline.plan(1, resolve));
  }
}

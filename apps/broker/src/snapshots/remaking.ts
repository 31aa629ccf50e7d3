/**
 * Clusters made once more: in the place of the one that is there, or beside it in memory.
 *
 * Invariants: in place, nobody is served between the end of the old cluster and the last act of the new one's history; until then the
 * folder counts as it was. What fails in between breaks the broker: there is no cluster that it could go on with.
 */
import {
  BrokerError,
  CrashSignal,
  DiskError,
  ManualClock,
  MemoryDisk,
  PromptDisk,
  type Tracer,
} from "@minikafka/core";
import type { BrokerContext } from "../broker-context.ts";
import type { Settings } from "../config.ts";
import type { Client } from "../connections/client.ts";
import { Quiet } from "../connections/quiet.ts";
import type { Deadlines } from "../deadlines.ts";
import type { Doors } from "../doors.ts";
import { EventFeed } from "../event-feed.ts";
import type { HeldDisk } from "../history/held-disk.ts";
import { History } from "../history/history.ts";
import { originFrom } from "../history/origin.ts";
import { Recorder } from "../history/recorder.ts";
import { placesOf, type Trace } from "../history/trace-lines.ts";
import { Dispatcher } from "../json/dispatch.ts";
import { KafkaDispatcher } from "../kafka/kafka-dispatch.ts";
import { siteAt } from "../kafka/kafka-site.ts";
import { dataFolderOf, openKernel } from "../kernel.ts";
import { Service } from "../service.ts";
import type { Stage } from "../stage.ts";
import { type FirstDifference, firstDifference } from "./first-difference.ts";
import { letItCount, putBack, putBy } from "./folder-restore.ts";
import { GivenUp, type Patience } from "./given-up.ts";
import { Replay } from "./replay.ts";

export interface RemakingParts {
  readonly settings: Settings;
  readonly folder: string;
  readonly disk: HeldDisk;
  readonly stage: Stage;
  readonly events: EventFeed;
  readonly recorder: Recorder;
  readonly doors: Doors;
  readonly realTime: Deadlines;
  readonly onCrash: ((at: string) => void) | undefined;
  readonly onBroken: (error: Error) => void;
  /** The program has armed faults of its own, which no history tells of. */
  readonly hasForeignFaults: boolean;
  /** What the present kernel tells goes to nobody any more; returns who the next one is to tell. */
  readonly nextTracer: () => Tracer;
  /** With what is made once more, when the broker stops. */
  readonly patience: Patience;
}

/** A cluster that is nobody's. */
export interface InMemory {
  /** May ask it what it likes. */
  readonly replay: Replay;
  /** Where it is another one than the trace tells of. */
  readonly difference: FirstDifference | null;
  /** Forgets it. */
  readonly close: () => Promise<void>;
}

export class Remaking {
  readonly #parts: RemakingParts;

  constructor(parts: RemakingParts) {
    this.#parts = parts;
  }

  /** Throws INVALID_REQUEST where no history tells of all that would have to be done once more. */
  requirePossible(): void {
    if (!this.#parts.hasForeignFaults) return;
    const message =
      "the program that this broker is a part of has faults of its own, which no snapshot knows";
    throw new BrokerError("INVALID_REQUEST", message);
  }

  /**
   * `look` is called when all has been done once more, before the clients of the history are gone, and before it counts: what it
   * throws breaks the broker, and the next one has the state from before. So it has when this rejects with GivenUp; then there is half of a
   * cluster, which is only to be let go.
   */
  async inPlace(trace: Trace, asker: Pick<Client, "number">, look: () => void): Promise<void> {
    const { disk, doors, onBroken } = this.#parts;
    this.#putBy();
    await doors.connections.destroyOthers(asker);
    doors.http?.endStreams("another state is loaded");
    try {
      await disk.keep(() => this.#inPlace(trace, look));
    } catch (error) {
      // One that was killed meanwhile is no news, nor one that stops.
      if (!doors.isDead && !(error instanceof GivenUp)) onBroken(error as Error);
      throw error;
    }
  }

  /**
   * While the old cluster still lives, which goes on when there is no room; all is quiet, and what lies in the folder is what it
   * would open with again. Throws STORAGE_ERROR.
   */
  #putBy(): void {
    const { disk, folder } = this.#parts;
    try {
      putBy(disk, folder);
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      throw new BrokerError("STORAGE_ERROR", `nothing is changed; ${problem.message}`);
    }
  }

  /** What comes of the trace, before anything is touched: anybody may have changed its file. Rejects as inMemory does. */
  async rehearse(trace: Trace): Promise<FirstDifference | null> {
    const { difference, close } = await this.inMemory(trace);
    await close();
    return difference;
  }

  async #inPlace({ head, image, entries }: Trace, look: () => void): Promise<void> {
    const { settings, folder, disk, stage, events, recorder, doors } = this.#parts;
    const trace = this.#parts.nextTracer();
    recorder.write(new History(image, settings.history_max_bytes));
    await this.#endKernel();
    putBack(disk, folder, image);
    const clock = new ManualClock(head.start_time_ms);
    const origin = originFrom(image, head.start_time_ms, head.seed);
    events.beginAnew(clock);
    const { onCrash, realTime } = this.#parts;
    const kernel = await openKernel(settings, { clock, disk, trace, onCrash, origin, realTime });
    const { hold, kafka, httpPort } = stage;
    const quiet = new Quiet(kernel.deadlines);
    Object.assign(stage, kernel, { seed: head.seed, hold: holdBy(quiet) });
    await quiet.come();
    const replay = new Replay(doors, quiet, this.#parts.patience.inPlace, recorder);
    const then = placesOf(head);
    Object.assign(stage, { kafka: siteAt(kafka, then.kafka), httpPort: then.httpPort });
    await replay.run(entries);
    const { state } = doors.service;
    // Some of it was refused, or cut off.
    if (state !== "serving")
      throw new Error(`expected a broker that serves while a snapshot is loaded, it is ${state}`);
    look();
    await replay.end();
    Object.assign(stage, { hold, kafka, httpPort });
    letItCount(disk, folder);
    events.speak();
    doors.http?.counted.beginWith(stage.cluster);
    await doors.kafka.follow();
  }

  /** As if its process had died. */
  async #endKernel(): Promise<void> {
    const { cluster, deadlines, parking, faults, delays } = this.#parts.stage;
    parking.endAll();
    faults.releaseAll();
    delays.end();
    const quiet = new Quiet(deadlines);
    await quiet.come();
    await cluster.crash();
    deadlines.close();
    await quiet.come();
  }

  /**
   * Rejects with GivenUp, and with STORAGE_ERROR where no cluster opens on what the trace begins
   * with, or one breaks on what came to it: then it is no history, since nothing is a part of it that came behind that.
   */
  async inMemory(saved: Trace): Promise<InMemory> {
    const { head, image, entries } = saved;
    const { settings, realTime, stage, patience } = this.#parts;
    // Where it was: the folder's name stands in answers and events.
    const folder = dataFolderOf(head);
    const disk = inMemoryWith(folder, image);
    const clock = new ManualClock(head.start_time_ms);
    const events = new EventFeed(clock);
    const recorder = new Recorder(new History(image, Number.POSITIVE_INFINITY));
    events.keepWith(recorder);
    const origin = originFrom(image, head.start_time_ms, head.seed);
    const { trace } = events;
    const copy = { ...settings, data: head.data };
    const kernel = await openKernel(copy, { clock, disk, trace, origin, realTime }).catch(
      (problem: Error) => {
        throw notAHistory(`no cluster opens on the snapshot: ${problem.message}`);
      },
    );
    const { random } = kernel;
    const quiet = new Quiet(kernel.deadlines);
    const ignore = () => undefined;
    const broken: Error[] = [];
    const crash = (at: string): never => {
      throw new CrashSignal(at);
    };
    const { kafka: addresses, httpPort } = placesOf(head);
    const kafka = siteAt(stage.kafka, addresses);
    const options = {
      context: { ...stage, ...kernel, seed: head.seed, events, crash, hold: holdBy(quiet), kafka, httpPort },
      service: new Service(),
      recorder,
      newFaultId: () => random.uuid(),
      onFault: ignore,
      onBroken: (error: Error) => broken.push(error),
    };
    const dispatchers = {
      dispatcher: new Dispatcher(options),
      kafkaDispatcher: new KafkaDispatcher(options),
    };
    const replay = new Replay(dispatchers, quiet, patience.inMemory, recorder);
    const close = async () => {
      kernel.deadlines.close();
      await kernel.cluster.crash();
    };
    try {
      await quiet.come();
      await replay.run(entries);
      const [problem] = broken;
      if (problem !== undefined) throw notAHistory(`the snapshot breaks the broker: ${problem.message}`);
    } catch (problem) {
      await close();
      throw problem;
    }
    // Who looks at it is no client of the history.
    kernel.faults.requests.rest();
    const difference = firstDifference(saved, { entries: recorder.history.entries, data: folder });
    recorder.write(new History(null, 0));
    return { replay, difference, close };
  }
}

/** A disk of nobody's that holds `image` in `folder`. */
function inMemoryWith(folder: string, image: Trace["image"]): PromptDisk {
  const disk = new PromptDisk(new MemoryDisk());
  disk.makeFolder(folder);
  putBack(disk, folder, image);
  return disk;
}

function notAHistory(problem: string): BrokerError {
  return new BrokerError("STORAGE_ERROR", `nothing is changed; ${problem}`);
}

function holdBy(quiet: Quiet): BrokerContext["hold"] {
  return (work) => quiet.hold(work);
}

/**
 * What happened to a manual cluster, and how to go back there. A state is what the cluster began with and all that came to it since;
 * with a manual clock everything follows from that (docs/decisions), so that nothing in memory has to be copied.
 *
 * Owns the snapshots' names, and how often the cluster has gone back.
 * Never: a state that is not exactly the one that was; what came of doing all once more is compared with what had come of it.
 */
import { BrokerError } from "@minikafka/core";
import type { ParsedResponse } from "@minikafka/protocol";
import type { Settings } from "../config.ts";
import type { Client } from "../connections/client.ts";
import type { Sequence } from "../connections/sequence.ts";
import type { History } from "../history/history.ts";
import type { Recorder } from "../history/recorder.ts";
import {
  imageLines,
  type Places,
  placeFields,
  TRACE_VERSION,
  type Trace,
  type TraceHead,
} from "../history/trace-lines.ts";
import { VERSION } from "../version.ts";
import { clusterState } from "./cluster-state.ts";
import { firstDifference, requireNone } from "./first-difference.ts";
import { type Given, GivenUp, type Patience } from "./given-up.ts";
import type { GoingBack } from "./going-back.ts";
import type { Remaking } from "./remaking.ts";
import { requireSameSettings, settingsThatMatter } from "./settings-that-matter.ts";
import type { Shelf, Snapshot } from "./shelf.ts";
import { type Difference, differencesOf } from "./state-difference.ts";

type Keep = Snapshot["keep"];
type SnapshotView = ParsedResponse<"save_snapshot">;
type LoadedView = ParsedResponse<"load_snapshot">;
type ListedView = ParsedResponse<"list_snapshots">["snapshots"][number];

export interface PastParts {
  readonly settings: Settings;
  readonly folder: string;
  readonly recorder: Recorder;
  readonly shelf: Shelf;
  readonly remaking: Remaking;
  /** The same that `remaking` has. */
  readonly patience: Patience;
  readonly sequence: Sequence;
  /** Where others than the SDK are told to connect. */
  readonly places: () => Places;
  /** As it is now. */
  readonly now: () => { readonly timeMs: number; readonly seed: number };
  /** Where the clock began. */
  readonly startTimeMs: number;
}

export class Past implements GoingBack {
  readonly #parts: PastParts;
  loading: Promise<unknown> | null = null;
  isHalf = false;
  #life = 1;
  #startTimeMs: number;
  /** The lines before the entries; made when somebody reads them. */
  #opening: readonly string[] | null = null;

  constructor(parts: PastParts) {
    this.#parts = parts;
    this.#startTimeMs = parts.startTimeMs;
  }

  /** Throws HISTORY_ENDED where nothing was kept from the start. */
  read(from: number, bytesMax: number): ParsedResponse<"read_history"> {
    const { entries, hasEnded, failure } = this.#history;
    this.#opening ??= [JSON.stringify(this.#head()), ...imageLines(this.#image())];
    const opening = this.#opening;
    const end = opening.length + entries.length;
    const lines: string[] = [];
    let bytes = 0;
    for (let at = from; at < end; at += 1) {
      const line = opening[at] ?? entries[at - opening.length] ?? "";
      bytes += line.length;
      if (lines.length > 0 && bytes > bytesMax) break;
      lines.push(line);
    }
    const page = { life: this.#life, lines, next: from + lines.length, end, ended: hasEnded };
    return failure === null ? page : { ...page, disk_error: failure.message };
  }

  save(name: string, keep: Keep): SnapshotView {
    const snapshot = { name, keep, timeMs: this.#parts.now().timeMs, trace: this.#trace() };
    this.#parts.shelf.put({ ...snapshot, life: this.#life, entriesBytes: this.#history.entriesBytes });
    return viewOf(snapshot);
  }

  list(): ListedView[] {
    return this.#parts.shelf.list().map((listed) => ("problem" in listed ? listed : viewOf(listed)));
  }

  delete(name: string): void {
    this.#parts.shelf.remove(name);
  }

  /** Whoever asks stays; all others are let go. */
  load(name: string, asker: Pick<Client, "number">, accept: boolean): Promise<LoadedView> {
    // Whoever stops the broker knows of it before anything is changed.
    const loading = this.#parts.sequence.hold(Promise.resolve().then(() => this.#load(name, asker, accept)));
    const isOver = () => {
      this.loading = null;
    };
    this.loading = loading.then(isOver, isOver);
    return loading;
  }

  giveUp(what: Given): void {
    this.#parts.patience.giveUp(what);
  }

  async diff(from: string, to: string | undefined): Promise<Difference[]> {
    // Both are known before either is made once more, which takes its time: meanwhile others go on.
    const one = this.#required(from).trace;
    const other = to === undefined ? this.#trace() : this.#required(to).trace;
    return differencesOf(await this.#stateOf(one), await this.#stateOf(other));
  }

  async #load(name: string, asker: Pick<Client, "number">, accept: boolean): Promise<LoadedView> {
    const { remaking, recorder, folder } = this.#parts;
    remaking.requirePossible();
    const snapshot = this.#required(name);
    const { trace } = snapshot;
    const rehearsed = await remaking.rehearse(trace);
    if (!accept) requireNone(rehearsed, trace);
    let difference = rehearsed;
    const look = () => {
      const { entries, hasEnded } = recorder.history;
      difference ??= firstDifference(trace, { entries, data: folder, hasEnded });
      if (!accept) requireNone(difference, trace);
    };
    await remaking.inPlace(trace, asker, look).catch((problem: unknown) => {
      this.isHalf = problem instanceof GivenUp;
      throw problem;
    });
    this.#life += 1;
    this.#startTimeMs = trace.head.start_time_ms;
    this.#opening = null;
    return { ...viewOf(snapshot), difference };
  }

  async #stateOf(trace: Trace): Promise<unknown> {
    const { replay, difference, close } = await this.#parts.remaking.inMemory(trace);
    try {
      requireNone(difference, trace);
      return await clusterState(replay);
    } finally {
      await close();
    }
  }

  #required(name: string): Snapshot {
    const snapshot = this.#parts.shelf.get(name);
    requireSameSettings(snapshot.trace.head.settings, this.#parts.settings);
    return snapshot;
  }

  get #history(): History {
    return this.#parts.recorder.history;
  }

  /** All that has happened until now. Throws HISTORY_ENDED. */
  #trace(): Trace {
    const { entries, hasEnded } = this.#history;
    if (hasEnded) throw ended(this.#history, this.#parts.settings);
    return { head: this.#head(), image: this.#image(), entries: [...entries] };
  }

  #image(): Trace["image"] {
    const { image } = this.#history;
    if (image === null) throw ended(this.#history, this.#parts.settings);
    return image;
  }

  #head(): TraceHead {
    const { settings, folder, now, places } = this.#parts;
    const startTimeMs = this.#startTimeMs;
    const { seed } = now();
    return {
      minikafka_trace: TRACE_VERSION,
      program_version: VERSION,
      data: folder,
      start_time_ms: startTimeMs,
      seed,
      settings: settingsThatMatter(settings),
      ...placeFields(places()),
    };
  }
}

function viewOf({ name, keep, timeMs, trace }: Snapshot): SnapshotView {
  return { name, keep, entries: trace.entries.length, time_ms: timeMs };
}

function ended({ failure }: History, { history_max_bytes: bytesMax }: Settings): BrokerError {
  if (failure !== null) {
    const message = `the disk has failed, which cannot be made happen once more: ${failure.message}; what was saved before can be loaded, and a restart begins a new history`;
    return new BrokerError("HISTORY_ENDED", message, { disk_error: failure.message });
  }
  const message = `more has happened, or lay in the folder at the start, than the ${bytesMax} bytes that are kept; start the broker with a larger --history-max-bytes`;
  return new BrokerError("HISTORY_ENDED", message);
}

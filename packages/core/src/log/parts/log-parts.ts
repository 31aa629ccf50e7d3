/** The parts of one open log, and how they are put together. */

import { onDisk } from "../../env/disk-answer.ts";
import type { Env } from "../../env/env.ts";
import type { LogConfig } from "../context/log-config.ts";
import type { LogContext, LogSettings } from "../context/log-context.ts";
import { LogState } from "../context/log-state.ts";
import type { LeaderEpochs } from "../manifest/leader-epochs.ts";
import { readContents, readOrMakeManifest } from "../manifest/log-folder.ts";
import { SegmentList } from "../segment/segment-list.ts";
import { LogAppender } from "./log-appender.ts";
import { LogFlusher } from "./log-flusher.ts";
import type { LogProducers } from "./log-producers.ts";
import { ManifestKeeper } from "./manifest-keeper.ts";
import { recoverSegments } from "./recovery.ts";
import { SyncFailure, type SyncFailureListeners } from "./sync-failure.ts";
import { Turns } from "./turns.ts";

export interface PartitionLogOptions extends LogSettings, SyncFailureListeners {
  /** Makes a new log where there is none. Otherwise a missing one is refused: it may have held records. */
  readonly create: boolean;
  /** What holds until configure() says otherwise. */
  readonly config: LogConfig;
}

export interface LogParts {
  readonly context: LogContext;
  readonly segments: SegmentList;
  readonly epochs: LeaderEpochs;
  readonly producers: LogProducers;
  readonly state: LogState;
  readonly turns: Turns;
  readonly failure: SyncFailure;
  readonly keeper: ManifestKeeper;
  readonly flusher: LogFlusher;
  readonly appender: LogAppender;
}

/** Recovers what a crash left. Throws STORAGE_ERROR; then nothing is open. */
export function openParts(options: PartitionLogOptions, env: Env): LogParts {
  const context: LogContext = { ...options, env };
  return onDisk(options.folder, () => {
    const found = readContents(context);
    const manifest = readOrMakeManifest(context, found, options);
    const contents = found.hasManifest ? found : readContents(context);
    const { sealed, unsealed, epochs, producers } = recoverSegments(context, manifest, contents, options);
    const segments = new SegmentList(sealed, unsealed);
    const state = new LogState(context);
    const turns = new Turns();
    const failure = new SyncFailure(context, state, options);
    const parts = { context, segments, epochs, producers, state, turns, failure };
    const keeper = new ManifestKeeper({ ...parts, manifest });
    const flusher = new LogFlusher({ ...parts, keeper });
    const appender = new LogAppender({ ...parts, onNewFile: () => flusher.noteNewFile() });
    return { ...parts, keeper, flusher, appender };
  });
}

/** What a command gets to work with: its settings, the three streams, and the user's wish that it stop. */
import type { Readable } from "node:stream";
import type { Command } from "commander";
import type { ExitCode } from "./exit-codes.ts";
import type { DataSink, OutputStream } from "./output/data-sink.ts";
import type { Notes } from "./output/notes.ts";
import type { Settings } from "./settings.ts";

export type InputStream = Readable & { readonly isTTY?: boolean };

/** The process as the commands see it, so that tests can hand in another one. */
export interface World {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: { readonly [name: string]: string | undefined };
  /** Fires at Ctrl-C. A command then stops reading, finishes what is under way and returns. */
  readonly interrupted: AbortSignal;
}

export interface Context {
  readonly settings: Settings;
  readonly stdin: InputStream;
  readonly data: DataSink;
  readonly notes: Notes;
  readonly interrupted: AbortSignal;
  readonly env: World["env"];
  /** Runs another command line within this process, as if it had been typed; `world` says in which terminal. */
  readonly runAnother: (argv: readonly string[], world: World) => Promise<ExitCode>;
}

/** A command's work. Nothing returned means success; a failure is thrown, and printed by the caller. */
export type Work = (context: Context) => Promise<ExitCode | undefined>;

/** What the hints will speak of: a topic, or a group. */
export type About = string | { readonly topic?: string | undefined; readonly group: string | undefined };

/** What an action of commander's calls: runs `work` for `command`. */
export type Perform = (command: Command, work: Work, about?: About) => Promise<void>;

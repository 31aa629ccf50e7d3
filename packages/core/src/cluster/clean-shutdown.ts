/**
 * `broker-<id>/clean-shutdown`: the mark of a broker that was closed with nothing left to flush.
 *
 * Owns: the file.
 * Invariants: it stands only while nobody has had the broker's logs open since they were closed cleanly: it is gone, for
 * good, before the first of them is opened.
 * Never: a damaged mark taken for a good one; a mark believed twice.
 */
import { posix } from "node:path";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { fieldsOf, integerOf } from "../log/files/parsed-json.ts";

export const CLEAN_SHUTDOWN_FILE_NAME = "clean-shutdown";
const VERSION = 1;

interface CleanShutdown {
  readonly closedAtMs: number;
}

export class CleanShutdownMark {
  readonly #folder: string;
  readonly #env: Env;
  readonly #file: CheckpointFile<CleanShutdown>;

  constructor(folder: string, brokerId: number, env: Env) {
    this.#folder = folder;
    this.#env = env;
    this.#file = new CheckpointFile<CleanShutdown>({
      disk: env.disk,
      faults: env.faults,
      path: posix.join(folder, CLEAN_SHUTDOWN_FILE_NAME),
      name: "clean_shutdown",
      site: { brokerId },
      version: VERSION,
      parse: parseMark,
      format: ({ closedAtMs }) => ({ closed_at_ms: closedAtMs }),
    });
  }

  /** Takes the mark away, durably, and returns whether a good one was there. Throws DiskError. */
  take(): boolean {
    const isClean = this.#isGood();
    this.#file.removeStrays();
    if (this.#env.disk.stat(this.#file.path) === null) return false;
    this.#env.disk.remove(this.#file.path);
    this.#env.disk.syncFolder(this.#folder);
    return isClean;
  }

  /** Sets the mark. Throws STORAGE_ERROR. */
  leave(): void {
    this.#file.replace({ closedAtMs: this.#env.clock.nowMs() });
  }

  #isGood(): boolean {
    try {
      return this.#file.read() !== null;
    } catch (problem) {
      if (problem instanceof BrokerError) return false;
      throw problem;
    }
  }
}

function parseMark(payload: unknown): CleanShutdown {
  const closedAtMs = fieldsOf(payload, "the mark").get("closed_at_ms");
  return { closedAtMs: integerOf(closedAtMs, "closed_at_ms", { min: 0, max: Number.MAX_SAFE_INTEGER }) };
}

/**
 * A new log's folder, made with the syncs off the thread: a topic of a thousand partitions must hold nobody up.
 *
 * Invariants: once run() has resolved, all of it is durable but the folder's own name, and open() finds a log without a
 * record; what is there before is empty, and counts for nothing as long as nobody says that the log exists.
 * Never: a change of the disk after abandon().
 */
import { storageError } from "../../errors.ts";
import type { LogContext } from "../context/log-context.ts";
import type { CheckpointFile } from "../files/checkpoint-file.ts";
import { makeFirstSegment } from "../manifest/log-folder.ts";
import { emptyManifest, type Manifest } from "../manifest/manifest.ts";
import { manifestFile } from "../manifest/manifest-file.ts";

export class FolderPreparation {
  readonly #context: LogContext;
  readonly #manifest: CheckpointFile<Manifest>;
  #isAbandoned = false;

  constructor(context: LogContext) {
    this.#context = context;
    this.#manifest = manifestFile(context);
  }

  /** The folder must be missing or empty. Rejects with DiskError, STORAGE_ERROR; what is there may be removed then. */
  async run(): Promise<void> {
    const { env, folder } = this.#context;
    this.#requireWanted();
    makeFirstSegment(this.#context);
    // The manifest names the segment, so that the segment's name must not be lost alone.
    await env.disk.syncFolderLater(folder);
    this.#requireWanted();
    await this.#manifest.replaceLater(emptyManifest(this.#context));
    this.#requireWanted();
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** As if the process had died. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#manifest.abandon();
  }

  #requireWanted(): void {
    const { folder } = this.#context;
    if (this.#isAbandoned) throw storageError("its making was given up", { file: folder });
  }
}

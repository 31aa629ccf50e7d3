/**
 * The manifest of an open log, and the one way to change it.
 *
 * Owns: the manifest, its file, and the removal of what a commit has made unneeded.
 * Invariants: `manifest` is what a power cut would leave, or what it left before; changes are made one after another, each
 * on what the one before it has made; a name leaves `obsolete` only after its removal is durable.
 * Never: a change seen before it is durable; a file removed before; a commit after one whose fate is unknown.
 */
import { posix } from "node:path";
import { assert } from "../../assert.ts";
import { storageError } from "../../errors.ts";
import type { LogContext } from "../context/log-context.ts";
import type { LogState } from "../context/log-state.ts";
import type { CheckpointFile } from "../files/checkpoint-file.ts";
import { parseFileName } from "../files/file-names.ts";
import { firstDirtyOffsetOf, type Manifest, sameManifest } from "../manifest/manifest.ts";
import { manifestFile } from "../manifest/manifest-file.ts";
import { removeObsolete } from "../manifest/obsolete-files.ts";
import type { SyncFailure } from "./sync-failure.ts";
import type { Turns } from "./turns.ts";

export interface KeeperParts {
  readonly context: LogContext;
  readonly state: LogState;
  readonly turns: Turns;
  readonly failure: SyncFailure;
  /** As it stands in the folder. */
  readonly manifest: Manifest;
}

export class ManifestKeeper {
  readonly #context: LogContext;
  readonly #state: LogState;
  readonly #turns: Turns;
  readonly #failure: SyncFailure;
  readonly #file: CheckpointFile<Manifest>;
  #manifest: Manifest;
  /** A process that died may have left a manifest in the system's memory alone. */
  #isDurable = false;
  /** Obsolete names whose files were removed. `true`: a sync of the folder has covered that. */
  readonly #removed = new Map<string, boolean>();

  constructor({ context, state, turns, failure, manifest }: KeeperParts) {
    this.#context = context;
    this.#state = state;
    this.#turns = turns;
    this.#failure = failure;
    this.#manifest = manifest;
    this.#file = manifestFile(context);
  }

  get manifest(): Manifest {
    return this.#manifest;
  }

  /**
   * Makes `change` of the manifest durable; nothing is written when it changes nothing. `adopt` is called in the instant in
   * which the change counts, so that nobody ever sees the manifest without what belongs to it. Afterwards the files that
   * are obsolete are removed: whoever has one open must close it in `adopt`. Only within a turn. Rejects STORAGE_ERROR when
   * nothing was changed, and BROKER_FAILED when nobody knows.
   */
  async commit(change: (manifest: Manifest) => Manifest, adopt: () => void = () => {}): Promise<void> {
    assert(this.#turns.isTaken, "a manifest was to be changed out of turn");
    this.#state.requireWritable();
    const changed = change(this.#manifest);
    const manifest: Manifest = {
      ...changed,
      firstDirtyOffset: firstDirtyOffsetOf(changed),
      obsolete: changed.obsolete.filter((name) => !this.#removed.get(name)),
    };
    if (sameManifest(manifest, this.#manifest)) return adopt();
    await this.#replace(manifest);
    this.#manifest = manifest;
    adopt();
    this.#trace();
    this.#removeFiles();
  }

  /** Makes sure that a power cut would leave the manifest that stands. Only within a turn. Rejects BROKER_FAILED. */
  async requireDurable(): Promise<void> {
    if (!this.#isDurable) await this.#syncFolder();
  }

  /**
   * Makes sure that no file is left of obsolete segments that begin at `baseOffset` or behind it, and that the next commit
   * drops their names: they may be given again. Only within a turn. Rejects STORAGE_ERROR, BROKER_FAILED.
   */
  async clearObsolete(baseOffset: number): Promise<void> {
    const names = this.#manifest.obsolete.filter(
      (name) => (parseFileName(name)?.baseOffset ?? 0) >= baseOffset,
    );
    for (const name of names) {
      if (this.#removed.has(name)) continue;
      if (!removeObsolete(this.#context, name)) {
        const file = posix.join(this.#context.folder, name);
        throw storageError("it counts no more, and could not be removed", { file });
      }
      this.#removed.set(name, false);
    }
    if (names.some((name) => !this.#removed.get(name))) await this.#syncFolder();
  }

  /** Nothing more reaches the disk; those who wait are told. The log must be closed already. */
  abandon(): void {
    this.#file.abandon();
  }

  async #replace(manifest: Manifest): Promise<void> {
    // Its sync of the folder covers the removals so far.
    const covered = [...this.#removed.keys()];
    try {
      await this.#file.replaceLater(manifest);
    } catch (problem) {
      throw this.#failure.ofCommit(problem);
    }
    this.#state.requireOpen();
    this.#isDurable = true;
    for (const name of covered) {
      if (manifest.obsolete.includes(name)) this.#removed.set(name, true);
      else this.#removed.delete(name);
    }
  }

  async #syncFolder(): Promise<void> {
    const covered = [...this.#removed.keys()];
    try {
      await this.#context.env.disk.syncFolderLater(this.#context.folder);
    } catch (problem) {
      throw this.#failure.ofSync(problem);
    }
    this.#state.requireOpen();
    this.#isDurable = true;
    for (const name of covered) this.#removed.set(name, true);
  }

  #removeFiles(): void {
    for (const name of this.#manifest.obsolete) {
      if (!this.#removed.has(name) && removeObsolete(this.#context, name)) this.#removed.set(name, false);
    }
  }

  #trace(): void {
    const { logStartOffset, recoveryPoint, sealed, obsolete } = this.#manifest;
    this.#context.env.trace({
      kind: "manifest_committed",
      ...this.#context.place,
      logStartOffset,
      recoveryPoint: recoveryPoint.offset,
      sealedSegments: sealed.length,
      obsoleteSegments: obsolete.length,
    });
  }
}

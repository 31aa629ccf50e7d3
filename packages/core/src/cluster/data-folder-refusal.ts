/** Why a data folder is not opened. A typed error, so that a daemon can print the sentence and choose an exit code. */
import { DiskError, FolderHeldError, type LockHolder } from "../env/disk.ts";
import { BrokerError } from "../errors.ts";
import { isNewerVersion } from "../log/files/checkpoint-outcome.ts";
import { quoted } from "../quoted.ts";

export type RefusalReason =
  /** The path is a file or something else that is no folder. */
  | "not-a-folder"
  /** The folder holds other things, and no cluster of ours. */
  | "not-ours"
  /** Another process, or another cluster of this process, has it open. */
  | "in-use"
  /** The disk lets nobody write there, or not this user. */
  | "read-only"
  /** The disk refuses to show it. */
  | "unreachable"
  /** A newer program wrote it. */
  | "newer-version"
  /** A file that everything depends on is not what was written, or is missing. */
  | "damaged"
  /** Something that is no folder stands in the place of a broker's folder. */
  | "no-broker-folder"
  /** It holds partitions of a broker that the configuration does not name. */
  | "missing-broker";

/** Longer than any path that a system takes in one piece. */
const PATH_LENGTH_MAX = 4096;

const REASON_OF_DISK_CODE: { readonly [code: string]: RefusalReason } = {
  EROFS: "read-only",
  EACCES: "read-only",
  EPERM: "read-only",
  ENOTDIR: "not-a-folder",
};

export class DataFolderRefused extends Error {
  override readonly name = "DataFolderRefused";
  /** For programs; `reason` says which of the refusals it is. */
  readonly code = "DATA_FOLDER_REFUSED";
  readonly reason: RefusalReason;
  readonly folder: string;
  /** Who has the folder, when the reason is "in-use" and the holder has named itself. */
  readonly holder: LockHolder | null;

  constructor(reason: RefusalReason, folder: string, sentence: string, options?: { cause: unknown }) {
    super(`the data folder ${quoted(folder, PATH_LENGTH_MAX)} ${sentence}`, options);
    this.reason = reason;
    this.folder = folder;
    this.holder = options?.cause instanceof FolderHeldError ? options.cause.holder : null;
  }
}

/**
 * The refusal that `problem` means for `folder`. What is no refusal of the world (a broken assertion, a crash) is returned
 * as it is: throw what comes back.
 */
export function refusalOf(problem: unknown, folder: string): unknown {
  const cause = { cause: problem };
  if (problem instanceof FolderHeldError)
    return new DataFolderRefused("in-use", folder, inUse(problem), cause);
  if (problem instanceof DiskError) {
    const reason = REASON_OF_DISK_CODE[problem.code] ?? "unreachable";
    return new DataFolderRefused(reason, folder, `cannot be used: ${problem.message}`, cause);
  }
  if (!(problem instanceof BrokerError) || problem.code !== "STORAGE_ERROR") return problem;
  if (problem.cause instanceof DiskError) return refusalOf(problem.cause, folder);
  return isNewerVersion(problem)
    ? new DataFolderRefused(
        "newer-version",
        folder,
        `was written by a newer version: ${problem.message}`,
        cause,
      )
    : new DataFolderRefused("damaged", folder, `is damaged: ${problem.message}`, cause);
}

function inUse({ holder }: FolderHeldError): string {
  if (holder === null) return "is in use by another process, which has not named itself yet";
  const since = new Date(holder.startedAtMs).toISOString();
  return `is in use by process ${holder.pid} on ${quoted(holder.host)}, since ${since}`;
}

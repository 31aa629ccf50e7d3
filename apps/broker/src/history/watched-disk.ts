/**
 * A disk of which it is known whether it has failed a cluster: no replay of what came to that cluster meets such a failure.
 *
 * Owns the first failure. Never: one that an armed fault has brought about, which does not come as far as here, nor one that follows from
 * what lies in the folder, as of a name that is not there.
 */
import { posix } from "node:path";
import { type Disk, DiskError, ForwardingDisk } from "@minikafka/core";
import { isOfTheCluster } from "./folder-image.ts";

type File = ReturnType<Disk["openFile"]>;
type Folder = ReturnType<Disk["openFolder"]>;

const FOLLOWS_FROM_THE_FOLDER: ReadonlySet<string> = new Set([
  "ENOENT",
  "EEXIST",
  "ENOTEMPTY",
  "ENOTDIR",
  "EISDIR",
  "EBADF",
]);

export class WatchedDisk extends ForwardingDisk {
  readonly #folder: string;
  #failure: DiskError | null = null;
  #onFailure: (failure: DiskError) => void = () => undefined;

  /** Of the files that are the cluster's in `folder`. */
  constructor(disk: Disk, folder: string) {
    super(disk);
    this.#folder = folder;
  }

  /** `listener` is told of each failure, also of one that was before. */
  tell(listener: (failure: DiskError) => void): void {
    this.#onFailure = listener;
    if (this.#failure !== null) listener(this.#failure);
  }

  override openFile(...given: Parameters<Disk["openFile"]>): File {
    return watched(
      this.#now(given[0], () => this.disk.openFile(...given)),
      (act) => this.#now(given[0], act),
    );
  }

  override stat(path: string): ReturnType<Disk["stat"]> {
    return this.#now(path, () => this.disk.stat(path));
  }

  override readFolder(path: string): ReturnType<Disk["readFolder"]> {
    return this.#now(path, () => this.disk.readFolder(path));
  }

  override makeFolder(path: string): readonly string[] {
    return this.#now(path, () => this.disk.makeFolder(path));
  }

  override rename(from: string, to: string): void {
    this.#now(from, () => this.disk.rename(from, to));
  }

  override remove(path: string): void {
    this.#now(path, () => this.disk.remove(path));
  }

  override removeFolder(path: string): void {
    this.#now(path, () => this.disk.removeFolder(path));
  }

  override syncFolder(path: string): void {
    this.#now(path, () => this.disk.syncFolder(path));
  }

  override syncFolderLater(path: string): Promise<void> {
    return this.#now(path, () => this.disk.syncFolderLater(path));
  }

  override openFolder(path: string): Folder {
    return watched(
      this.#now(path, () => this.disk.openFolder(path)),
      (act) => this.#now(path, act),
    );
  }

  override async openFolderLater(path: string): Promise<Folder> {
    const folder = await this.#now(path, () => this.disk.openFolderLater(path));
    return watched(folder, (act) => this.#now(path, act));
  }

  /** Also of what is awaited. */
  #now<Result>(path: string, act: () => Result): Result {
    try {
      const result = act();
      if (result instanceof Promise) result.catch((problem: unknown) => this.#look(path, problem));
      return result;
    } catch (problem) {
      this.#look(path, problem);
      throw problem;
    }
  }

  #look(path: string, problem: unknown): void {
    if (!(problem instanceof DiskError) || FOLLOWS_FROM_THE_FOLDER.has(problem.code)) return;
    const [first = ""] = posix.relative(this.#folder, path).split("/");
    if (!isOfTheCluster(first)) return;
    this.#failure ??= problem;
    this.#onFailure(problem);
  }
}

/** The same file or folder, of which each act is done by `look`. */
function watched<Opened extends File | Folder>(
  opened: Opened,
  look: <Result>(act: () => Result) => Result,
): Opened {
  return new Proxy(opened, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => look(() => Reflect.apply(value, target, given));
    },
  });
}

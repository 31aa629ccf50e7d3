/**
 * Copies of brokers' folders, which become their folders again, or are lost, as whoever restores a backup or changes a disk does it.
 *
 * Invariant: what is on no disk any more nobody can find again, so that of each partition one replica in sync at least keeps the
 * folder of its last life.
 */
import type { BrokerCluster } from "@minikafka/core";
import type { MemoryDisk } from "@minikafka/core/testing";
import type { Chance } from "../chance.ts";

interface FolderCopy {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Of the history, when it was taken. */
  readonly order: number;
}

const COPIES_KEPT = 3;

export class Folders {
  readonly #dataFolder: string;
  readonly #copies = new Map<number, FolderCopy[]>();
  /** Those whose folders have changed since their brokers ran. */
  readonly #changed = new Set<number>();

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
  }

  /** Of a broker that does not run. */
  take(disk: MemoryDisk, brokerId: number, order: number): void {
    if (this.#changed.has(brokerId)) return;
    const copies = this.#copies.get(brokerId) ?? [];
    copies.push({ files: this.#filesOf(disk, brokerId), order });
    if (copies.length > COPIES_KEPT) copies.shift();
    this.#copies.set(brokerId, copies);
  }

  /** Whether of all that `brokerId` has somebody else, who is in sync, can be read. */
  isSpare(cluster: BrokerCluster, brokerId: number): boolean {
    const isHeld = (topic: string, partition: number): boolean => {
      const { replicas } = cluster.describePartition({ topic, partition });
      const others = replicas.filter((each) => each.brokerId !== brokerId);
      return (
        others.length === replicas.length ||
        others.some((each) => each.isInSync && each.isOnline && !this.#changed.has(each.brokerId))
      );
    };
    return cluster
      .listTopics()
      .every(({ topic, partitions }) =>
        Array.from({ length: partitions }).every((_, partition) => isHeld(topic, partition)),
      );
  }

  /** Its folder is what it was once; returns when, or `null` when there is no copy. */
  putBack(disk: MemoryDisk, brokerId: number, luck: Chance): number | null {
    const copies = this.#copies.get(brokerId) ?? [];
    if (copies.length === 0) return null;
    const copy = luck.oneOf(copies);
    this.#replace(disk, brokerId, copy.files);
    return copy.order;
  }

  lose(disk: MemoryDisk, brokerId: number): void {
    this.#replace(disk, brokerId, new Map());
  }

  /** It has been judged with the folder that it has. */
  started(brokerId: number): void {
    this.#changed.delete(brokerId);
  }

  allStarted(): void {
    this.#changed.clear();
  }

  #replace(disk: MemoryDisk, brokerId: number, files: ReadonlyMap<string, Buffer>): void {
    this.#changed.add(brokerId);
    for (const path of this.#filesOf(disk, brokerId).keys()) disk.remove(path);
    const folders = new Set([this.#folderOf(brokerId)]);
    for (const [path, bytes] of files) {
      const folder = path.slice(0, path.lastIndexOf("/"));
      folders.add(folder);
      disk.makeFolder(folder);
      const file = disk.openFile(path, { create: "exclusive" });
      file.writeAt(0, bytes);
      file.syncNow();
      file.close();
    }
    for (const folder of folders) disk.syncFolder(folder);
  }

  #filesOf(disk: MemoryDisk, brokerId: number): Map<string, Buffer> {
    const folder = `${this.#folderOf(brokerId)}/`;
    return new Map([...disk.files()].filter(([path]) => path.startsWith(folder)));
  }

  #folderOf(brokerId: number): string {
    return `${this.#dataFolder}/broker-${brokerId}`;
  }
}

/**
 * Copies of brokers' folders of any age, several of each, that become their folders again, in any number at once.
 *
 * What is on no disk any more nobody can find again: one in-sync replica at least keeps the folder of its last life.
 */
import type { Random } from "../src/env/random.ts";
import type { Replica } from "../src/replica/replica.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import type { World } from "./world.ts";

const COPIES_KEPT = 3;

export class HistoryCopies {
  readonly #world: World;
  readonly #copies = new Map<number, readonly FolderCopy[]>();
  /** Those whose folders were put back since they ran. */
  readonly #putBack = new Set<number>();

  constructor(world: World) {
    this.#world = world;
  }

  get #random(): Random {
    return this.#world.random;
  }

  /** Of a broker that does not run. One that waits to start on an older folder has nothing new. */
  take(brokerId: number): void {
    if (this.#putBack.has(brokerId)) return;
    const copies = [...(this.#copies.get(brokerId) ?? []), copyOfBroker(this.#world.disk, brokerId)];
    if (copies.length > COPIES_KEPT) copies.splice(this.#random.below(copies.length), 1);
    this.#copies.set(brokerId, copies);
  }

  /** Whether one of the copies has become the folder of a broker that does not run. */
  putBack(brokerId: number, inSyncReplicas: readonly number[]): boolean {
    const copies = this.#copies.get(brokerId) ?? [];
    const copy = copies[this.#random.below(Math.max(copies.length, 1))];
    const isHeld = inSyncReplicas.some((id) => id !== brokerId && !this.#putBack.has(id));
    if (copy === undefined || !isHeld) return false;
    restoreBroker(this.#world.disk, brokerId, copy);
    this.#putBack.add(brokerId);
    return true;
  }

  /** Which replicas' brokers run: those were judged with the folders that they have. */
  noteStarted(copies: readonly Replica[]): void {
    for (const { brokerId, broker } of copies) if (!broker.isStopped) this.#putBack.delete(brokerId);
  }
}

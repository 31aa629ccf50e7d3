/**
 * Folders of deleted topics go: at once, or in parts between which others have their turn, since those of a thousand partitions
 * take long.
 *
 * Owns: the removals that are under way, each once; whoever waits for one joins it.
 * Invariant: what is removed here stands in the metadata as a deletion until all of it is gone, durably.
 * Never: a folder touched once the cluster has ended, since it may be another's then; nor that of a topic that was made anew, since
 * that begins when the removal is over.
 */
import { isRefusal } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import type { Brokers } from "./brokers.ts";
import type { MetadataKeeper } from "./metadata-keeper.ts";
import type { TopicFolders } from "./topic-folders.ts";
import { collisionKey } from "./topic-name.ts";
import type { Topic } from "./topics.ts";

export interface TopicRemovalsParts {
  readonly keeper: MetadataKeeper;
  readonly brokers: Brokers;
  readonly folders: TopicFolders;
}

export class TopicRemovals {
  readonly #parts: TopicRemovalsParts;
  readonly #env: Env;
  readonly #underWay = new Map<Topic, Promise<void>>();

  constructor(parts: TopicRemovalsParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /** Removes what is left of a topic whose deletion counts; where the disk refuses or a broker has failed, later. */
  tryNow(deletion: Topic): void {
    try {
      this.#env.faults.hit("topic.delete.after_metadata", { topic: deletion.topic });
      this.#finish(deletion);
    } catch (problem) {
      // The topic is gone all the same; its folders stand in the metadata until they are gone as well.
      if (!isRefusal(problem)) throw problem;
    }
  }

  /**
   * The same in parts; resolves whether all is gone. `requireServing` throws when the cluster has ended meanwhile: then the next
   * opening goes on.
   */
  async tryLater(deletion: Topic, requireServing: () => void): Promise<boolean> {
    try {
      this.#env.faults.hit("topic.delete.after_metadata", { topic: deletion.topic });
      await this.#finishLater(deletion, requireServing);
      return true;
    } catch (problem) {
      if (!isRefusal(problem)) throw problem;
      return false;
    }
  }

  /** Names that collide may share a folder on a disk that does not tell case apart: the old one goes first. Throws DiskError, BROKER_FAILED. */
  finishRivals({ topic }: Topic): void {
    for (const deletion of this.#rivalsOf(topic)) this.#finish(deletion);
  }

  /** The same in parts. Rejects also as `requireServing` throws. */
  async finishRivalsLater({ topic }: Topic, requireServing: () => void): Promise<void> {
    for (const deletion of this.#rivalsOf(topic)) await this.#finishLater(deletion, requireServing);
  }

  #rivalsOf(topic: string): Topic[] {
    const key = collisionKey(topic);
    return this.#parts.keeper.deletions.filter((deletion) => collisionKey(deletion.topic) === key);
  }

  #finish(deletion: Topic): void {
    this.#requireNoneFailed(deletion);
    const { folders, keeper } = this.#parts;
    for (const _ of folders.remove(deletion)) {
      // Nobody has a turn.
    }
    folders.syncAbove(deletion);
    keeper.forget(deletion);
  }

  #finishLater(deletion: Topic, requireServing: () => void): Promise<void> {
    const before = this.#underWay.get(deletion);
    if (before !== undefined) return before;
    const removal = this.#removeInParts(deletion, requireServing);
    this.#underWay.set(deletion, removal);
    const isOver = () => void this.#underWay.delete(deletion);
    removal.then(isOver, isOver);
    return removal;
  }

  async #removeInParts(deletion: Topic, requireServing: () => void): Promise<void> {
    const { folders, keeper } = this.#parts;
    this.#requireNoneFailed(deletion);
    const above = folders.above(deletion);
    for (const _ of folders.remove(deletion)) {
      await this.#env.pause?.();
      requireServing();
      this.#requireNoneFailed(deletion);
      // Somebody who could not wait has done it: what lies there now may be another's.
      if (!keeper.deletions.includes(deletion)) return;
    }
    await folders.syncAboveLater(above);
    requireServing();
    this.#requireNoneFailed(deletion);
    keeper.forget(deletion);
  }

  /** What the disk of a failed broker says that it has removed may be back after a power cut. */
  #requireNoneFailed(deletion: Topic): void {
    for (const brokerId of new Set(deletion.partitions.flatMap(({ replicas }) => replicas)))
      this.#parts.brokers.get(brokerId).requireNotFailed();
  }
}

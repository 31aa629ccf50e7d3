/**
 * Folders of partitions that are made off the thread, for a new topic or for one that grows.
 *
 * Owns: the names of topics of which some are being made; nobody else makes any of such a name meanwhile.
 * Never: a folder touched once the cluster is closed, since it may be another's then, or before it is known to hold no records.
 */
import { DiskError } from "../env/disk.ts";
import { isRefusal } from "../env/disk-answer.ts";
import { BrokerError, storageError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import type { TopicFolders } from "./topic-folders.ts";
import { collisionKey } from "./topic-name.ts";
import type { Topic } from "./topics.ts";

/** What is done before and after, and whether the partitions count then. */
export interface Making {
  readonly begin: () => Promise<void>;
  readonly complete: () => void;
  readonly isThere: () => boolean;
  /** Throws when the cluster has been closed meanwhile. */
  readonly requireServing: () => void;
}

export class TopicsBeingMade {
  readonly #folders: TopicFolders;
  readonly #keys = new Set<string>();

  constructor(folders: TopicFolders) {
    this.#folders = folders;
  }

  /** Throws TOPIC_ALREADY_EXISTS. */
  requireNot(topic: string): void {
    if (!this.#keys.has(collisionKey(topic))) return;
    throw new BrokerError(
      "TOPIC_ALREADY_EXISTS",
      `a topic of the name ${quoted(topic)} is being made or grows`,
    );
  }

  /** Prepares the folders of `topic` from partition `from` on, between the two; takes them back when they do not count then. */
  async make(
    topic: Topic,
    from: number,
    { begin, complete, isThere, requireServing }: Making,
  ): Promise<void> {
    const key = collisionKey(topic.topic);
    this.#keys.add(key);
    let isOurs = false;
    try {
      await begin();
      requireServing();
      this.#folders.clear(topic, from);
      isOurs = true;
      await this.#folders.prepare(topic, from).finally(() => {
        isOurs = false;
        requireServing();
        isOurs = true;
      });
      this.#keys.delete(key);
      complete();
    } catch (problem) {
      if (isOurs && isRefusal(problem) && !isThere()) this.#folders.undo(topic, from);
      throw problem instanceof DiskError ? storageError(problem, { file: problem.path }) : problem;
    } finally {
      this.#keys.delete(key);
    }
  }
}

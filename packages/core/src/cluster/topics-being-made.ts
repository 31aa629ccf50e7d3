/**
 * Partitions that are made in parts, for a new topic or for one that grows, so that others have their turn between them.
 *
 * Owns: the names of topics of which some are being made; nobody else makes any of such a name meanwhile.
 * Never: a folder touched once the cluster is closed, since it may be another's then, or before it is known to hold no records.
 */
import { DiskError } from "../env/disk.ts";
import { isRefusal } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
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
  readonly #env: Env;
  /** Each with what resolves at its end, however that comes. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(folders: TopicFolders, env: Env) {
    this.#folders = folders;
    this.#env = env;
  }

  /** Throws TOPIC_ALREADY_EXISTS. */
  requireNot(topic: string): void {
    if (!this.#underWay.has(collisionKey(topic))) return;
    throw new BrokerError(
      "TOPIC_ALREADY_EXISTS",
      `a topic of the name ${quoted(topic)} is being made or grows`,
    );
  }

  /** The end of what is under way of that name, or `null` where nothing is. Whoever goes on at once is the next. */
  endOf(topic: string): Promise<void> | null {
    return this.#underWay.get(collisionKey(topic)) ?? null;
  }

  /** Makes the logs of `topic` from partition `from` on, between the two; takes them back when they do not count then. */
  async make(
    topic: Topic,
    from: number,
    { begin, complete, isThere, requireServing }: Making,
  ): Promise<void> {
    const key = collisionKey(topic.topic);
    let over = (): void => {};
    this.#underWay.set(key, new Promise((resolve) => (over = resolve)));
    let isOurs = false;
    try {
      await begin();
      requireServing();
      this.#folders.clear(topic, from);
      isOurs = true;
      await this.#folders.makeLater(topic, from).finally(() => {
        isOurs = false;
        requireServing();
        isOurs = true;
      });
      complete();
    } catch (problem) {
      if (isOurs && isRefusal(problem) && !isThere()) await this.#undo(topic, from, requireServing);
      throw problem instanceof DiskError ? storageError(problem, { file: problem.path }) : problem;
    } finally {
      this.#underWay.delete(key);
      over();
    }
  }

  async #undo(topic: Topic, from: number, requireServing: () => void): Promise<void> {
    for (const _ of this.#folders.undoInParts(topic, from)) {
      await this.#env.pause?.();
      requireServing();
    }
  }
}

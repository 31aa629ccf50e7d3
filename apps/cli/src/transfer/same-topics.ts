/**
 * That both topics of a copy are still those with which it began. A name stays when a topic is deleted and made again, its id does not
 * (KIP-516); and an id that is seen after a read was the topic's before it as well, since none comes back.
 *
 * Reads and writes go by the name, as every cluster since Kafka 3.0 takes them. So the broker that has answered one is asked for the
 * id afterwards: it hears of a new topic before it serves it.
 */
import { CliError } from "../failure.ts";
import type { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { pause } from "../kafka-cluster/pause.ts";
import { type TopicShape, topicShape } from "../kafka-cluster/topics.ts";

export interface BegunTopic {
  readonly link: Pick<KafkaLink, "metadata" | "where">;
  /** As it was when the run began. */
  readonly shape: TopicShape;
}

/** A broker that has just come back may not know yet what there is. */
const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 500;

const ANEW =
  "remove the state of this transfer (--dry-run names the file) and what is there of the copy, and begin anew";

export class SameTopics {
  readonly #source: BegunTopic;
  readonly #target: BegunTopic;
  readonly #signal: AbortSignal;

  constructor(source: BegunTopic, target: BegunTopic, signal: AbortSignal) {
    this.#source = source;
    this.#target = target;
    this.#signal = signal;
  }

  /** By the leader of `partition`, where one is named. Throws COPY_DIFFERS, and UNKNOWN_TOPIC where there is none any more. */
  async requireSource(partition?: number): Promise<void> {
    const { link, shape } = this.#source;
    const found = await this.#found(this.#source, partition);
    if (found === null)
      throw new CliError("UNKNOWN_TOPIC", `${shape.topic} was deleted at ${link.where} while it was copied`, {
        hint: "what has been copied of it by then is in the copy; a topic that is made there again is another one",
        details: { topic: shape.topic },
      });
    this.#requireSame(this.#source, found);
  }

  /** As {@link requireSource}; COPY_DIFFERS also where there is none any more. */
  async requireTarget(partition?: number): Promise<void> {
    const { link, shape } = this.#target;
    const found = await this.#found(this.#target, partition);
    if (found === null)
      throw new CliError(
        "COPY_DIFFERS",
        `${shape.topic} was deleted at ${link.where} while it was copied to`,
        {
          hint: ANEW,
        },
      );
    this.#requireSame(this.#target, found);
  }

  async requireBoth(partition?: number): Promise<void> {
    await Promise.all([this.requireSource(partition), this.requireTarget(partition)]);
  }

  /** Does `work`; what fails since a topic is gone says which, and what that means. */
  async explained<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CliError && error.code === "UNKNOWN_TOPIC") await this.requireBoth();
      throw error;
    }
  }

  async #found({ link, shape }: BegunTopic, partition: number | undefined): Promise<TopicShape | null> {
    for (let looks = 1; ; looks += 1) {
      const found = await topicShape(link, shape.topic, partition);
      if (found !== null || looks === LOOKS_MAX) return found;
      await pause(LOOK_AGAIN_MS, this.#signal);
    }
  }

  #requireSame({ link, shape }: BegunTopic, found: TopicShape): void {
    if (found.topicId !== shape.topicId)
      throw new CliError(
        "COPY_DIFFERS",
        `${shape.topic} was deleted and created again at ${link.where} while it was copied`,
        { hint: ANEW },
      );
    if (found.partitions > shape.partitions)
      throw new CliError(
        "COPY_DIFFERS",
        `${shape.topic} has grown to ${found.partitions} partitions at ${link.where} while it was copied; it had ${shape.partitions}`,
        {
          hint: "give both topics as many partitions, then run the same command again: it goes on from here",
        },
      );
  }
}

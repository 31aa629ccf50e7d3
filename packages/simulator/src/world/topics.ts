/** Which topics the clients of a run know, and how many partitions each has as far as they have heard. */
import type { TopicPartition } from "@minikafka/core";
import type { TopicShape } from "../shape/shape.ts";

export function placeName({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

export class Topics {
  readonly #known = new Map<string, { shape: TopicShape; partitions: number }>();

  readonly #claimed = new Set<string>();
  /** By life of the process, how many are being made, or grow. */
  readonly #underWay = new Map<number, number>();

  made(shape: TopicShape): void {
    this.#known.set(shape.topic, { shape, partitions: shape.partitions });
  }

  grown(topic: string, partitions: number): void {
    const known = this.#known.get(topic);
    if (known !== undefined) known.partitions = Math.max(known.partitions, partitions);
  }

  gone(topic: string): void {
    this.#known.delete(topic);
  }

  /** Says that a topic is about to be made; false for a name that was given before. */
  claims(topic: string): boolean {
    if (this.#claimed.has(topic)) return false;
    this.#claimed.add(topic);
    return true;
  }

  /** One is being made, or grows, until what this returns is called, or the process is gone. */
  begins(life: number): () => void {
    const count = (by: number) => this.#underWay.set(life, (this.#underWay.get(life) ?? 0) + by);
    count(1);
    return () => count(-1);
  }

  isUnderWay(life: number): boolean {
    return (this.#underWay.get(life) ?? 0) > 0;
  }

  has(topic: string): boolean {
    return this.#known.has(topic);
  }

  names(): string[] {
    return [...this.#known.keys()];
  }

  shapeOf(topic: string): TopicShape | null {
    return this.#known.get(topic)?.shape ?? null;
  }

  partitionsOf(topic: string): number {
    return this.#known.get(topic)?.partitions ?? 0;
  }

  /** One of its partitions, whichever number is named; `null` for a topic that is not there. */
  place(topic: string, partition: number): TopicPartition | null {
    const partitions = this.partitionsOf(topic);
    return partitions === 0 ? null : { topic, partition: partition % partitions };
  }

  places(topic: string): TopicPartition[] {
    return Array.from({ length: this.partitionsOf(topic) }, (_, partition) => ({ topic, partition }));
  }
}

/** The topic that a bench works on: the one that was named, or one of its own that it deletes when it ends, however it ends. */
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";
import type { Session } from "../session.ts";

export interface BenchTopicOptions {
  readonly topic?: string;
  readonly partitions: number;
  readonly replicas: number;
}

/** After Ctrl-C the process lives for two seconds. */
const DELETE_MS = 1_500;

/** Throws what a creation throws, and what `work` throws. */
export async function withBenchTopic<T>(
  context: Context,
  session: Session,
  options: BenchTopicOptions,
  work: (topic: string, isOwn: boolean) => Promise<T>,
): Promise<T> {
  if (options.topic !== undefined) return work(options.topic, false);
  const topic = await created(session, options);
  try {
    return await work(topic, true);
  } finally {
    // Not by the session's call, which an interruption ends.
    await session.client
      .call("delete_topic", { topic }, { timeoutMs: DELETE_MS })
      .catch((error: unknown) => left(context, topic, error));
  }
}

/** Other benches may run, and one that was killed may have left its topic. */
async function created(session: Session, { partitions, replicas }: BenchTopicOptions): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const topic = `bench-${process.pid}-${attempt}`;
    try {
      await session.call("create_topic", { topic, partitions, replication_factor: replicas });
      return topic;
    } catch (error) {
      if (failureOf(error).code !== "TOPIC_ALREADY_EXISTS") throw error;
    }
  }
}

function left({ notes }: Context, topic: string, error: unknown): void {
  notes.remark(
    `the topic ${topic} could not be deleted (${failureOf(error).code}): minikafka-cli topics delete ${topic}`,
  );
}

/** `bench groups`: how long a member that joins a group waits for its partitions, beside others that give some of theirs up. */
import type { Client, Consumer } from "@minikafka/client";
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";
import { withSession } from "../session.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
import { countReport, measure } from "./bench-run.ts";
import { withBenchTopic } from "./bench-topic.ts";
import type { BoundOptions, Bounds } from "./bounds.ts";
import type { Measurement } from "./measurement.ts";

export interface GroupsBenchOptions extends BoundOptions {
  /** Those that are there before one joins. */
  readonly members: number;
  /** So often each of them says that it is there, and hears what has become of the group. */
  readonly heartbeatMs: number;
  readonly partitions: number;
  readonly replicas: number;
}

/** After Ctrl-C the process lives for two seconds. */
const END_MS = 1_000;

export function benchGroups(context: Context, options: GroupsBenchOptions): Promise<undefined> {
  return withSession(context, async ({ client, ...session }) => {
    await withBenchTopic(context, { client, ...session }, options, async (topic) => {
      // A topic of its own: nobody has a group of that name.
      const joining = { context, client, topic, groupId: topic, options };
      const members: Consumer[] = [];
      try {
        for (let each = 0; each < options.members; each++) members.push(await joined(joining));
        await measure(
          context,
          { ...options, about: aboutOf(joining), report: countReport("joins") },
          (measurement, bounds) => joinAgain(joining, measurement, bounds),
        );
      } catch (error) {
        if (!context.interrupted.aborted) throw error;
      } finally {
        await Promise.all(members.map(ended));
        await deleted(context, client, topic);
      }
    });
    return undefined;
  });
}

interface Joining {
  readonly context: Context;
  readonly client: Client;
  readonly topic: string;
  readonly groupId: string;
  readonly options: GroupsBenchOptions;
}

function aboutOf({ topic, options }: Joining) {
  const { members, partitions, heartbeatMs } = options;
  return { bench: "groups", topic, members, partitions, heartbeat_ms: heartbeatMs };
}

/** One after the other, each of which leaves before the next one comes, so that all find the same group. */
async function joinAgain(joining: Joining, measurement: Measurement, bounds: Bounds): Promise<void> {
  while ((await bounds.turn(measurement.records, 1)) > 0) {
    const beganMs = performance.now();
    const member = await joined(joining);
    measurement.add(1, 0, { beganMs });
    await ended(member);
  }
}

/** Resolves when it has all that it is to have: what the others give up as well. */
async function joined({ context, client, topic, groupId, options }: Joining): Promise<Consumer> {
  const { interrupted: signal, settings } = context;
  const timeoutMs = settings.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  const consumer = client.consumer({
    groupId,
    autoOffsetReset: "earliest",
    autoCommit: false,
    heartbeatIntervalMs: options.heartbeatMs,
  });
  try {
    await consumer.subscribe(topic, { signal });
    await consumer.ready({ timeoutMs, signal });
    return consumer;
  } catch (error) {
    await ended(consumer);
    throw error;
  }
}

async function ended(consumer: Consumer): Promise<void> {
  await consumer.close({ timeoutMs: END_MS }).catch(() => undefined);
}

/** Not by the session's call, which an interruption ends. */
async function deleted({ notes }: Context, client: Client, groupId: string): Promise<void> {
  try {
    await client.call("delete_group", { group_id: groupId }, { timeoutMs: END_MS });
  } catch (error) {
    const { code } = failureOf(error);
    if (code === "UNKNOWN_GROUP") return;
    notes.remark(
      `the group ${groupId} could not be deleted (${code}): minikafka-cli groups delete ${groupId}`,
    );
  }
}

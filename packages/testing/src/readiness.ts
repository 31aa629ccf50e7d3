/** What is still to be done with a daemon that has just started before a test gets it: its topics are there, and its groups can be seen. */
import type { Broker } from "@minikafka/broker";
import { type Admin, systemClock } from "@minikafka/client";
import type { Beginning } from "./lives.ts";
import type { Plan } from "./start-options.ts";
import { makeTopic } from "./topic-options.ts";
import { requireAsSaid } from "./topics-there.ts";

/** What a start has to load, and what waits for others as long as that, gets so long. */
const LOADING_MS = 500;

/** Rejects with ConfigProblem for topics that cannot be as the plan says them. */
export async function makeReady(
  { cluster }: Broker,
  admin: Admin,
  { topics, dir }: Plan,
  why: Beginning,
): Promise<void> {
  if (why === "start") requireAsSaid(cluster, topics);
  if (dir !== null || cluster.listTopics().length > 0) await bringToMemory(admin);
  // What a test has changed since is its own.
  if (why === "restart") return;
  for (const topic of topics) if (!cluster.hasTopic(topic.topic)) await makeTopic(admin, topic);
}

/**
 * Groups and transactions, so that they are seen. By requests, which are a part of a trace. What waits for copies that nobody makes, as with a
 * manual clock, is not waited for.
 */
async function bringToMemory(admin: Admin): Promise<void> {
  const enough = new AbortController();
  const cancel = systemClock.after(LOADING_MS, () => enough.abort());
  const { signal } = enough;
  const loaded = [admin.listGroups({ signal }), admin.listTransactions({ signal })];
  const [failed] = (await Promise.allSettled(loaded)).filter((end) => end.status === "rejected");
  cancel();
  if (failed !== undefined && !signal.aborted) throw failed.reason;
}

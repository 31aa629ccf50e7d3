/**
 * Tells why nothing is read yet, once, when a member waits for its first partitions for longer than one expects. Owns one timer
 * until it has told, or is ended.
 */
import type { Client, Consumer } from "@minikafka/client";
import type { Context } from "../context.ts";
import type { Session } from "../session.ts";

export const JOIN_REMARK_AFTER_MS = 3_000;

/** Returns how to end it. */
export function remarkSlowJoin(
  context: Context,
  session: Session,
  consumer: Pick<Consumer, "generation" | "assignment">,
  group: string,
): () => void {
  const { clock }: Pick<Client, "clock"> = session.client;
  return clock.after(JOIN_REMARK_AFTER_MS, () => {
    if (consumer.assignment.length > 0) return;
    void askWhy(session, consumer.generation, group).then((why) => context.notes.remark(why));
  });
}

/** Never rejects: a broker that is silent is a reason as well. */
async function askWhy(session: Session, generation: number | null, group: string): Promise<string> {
  if (generation !== null)
    return `this member of ${group} has no partition yet; minikafka-cli groups describe ${group} --members shows who has them`;
  try {
    const { mode } = await session.call("describe_cluster", {});
    return waitingText(mode, group);
  } catch {
    return `waits to become a member of ${group}: the broker does not answer`;
  }
}

export function waitingText(mode: "auto" | "manual", group: string): string {
  const waits = `waits to become a member of ${group}`;
  return mode === "manual"
    ? `${waits}: with several brokers and a manual clock that needs minikafka-cli step replicate __consumer_offsets, from another terminal`
    : `${waits}: minikafka-cli topics describe __consumer_offsets shows whether its partitions have a leader and enough in sync`;
}

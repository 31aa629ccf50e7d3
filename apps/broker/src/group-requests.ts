/** What requests of groups have in common, in whichever protocol they come: their turn, and their patience. */
import type { BrokerCluster } from "@minikafka/core";
import type { BrokerContext } from "./broker-context.ts";
import type { Client } from "./connections/client.ts";
import { ALL } from "./connections/turns.ts";
import type { Waiter } from "./deadlines.ts";
import { ANSWER_MS, withinTime } from "./time-limit.ts";

type Groups = BrokerCluster["groups"];
type Ask<Answer> = (groups: Groups, wait: { readonly giveUp: AbortSignal }) => Promise<Answer>;

/** Changes a group, behind what the client asked of it before; REQUEST_TIMED_OUT leaves open whether it has changed. */
export function changeGroup<Answer>(
  groupId: string,
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return client.groupTurns.change(groupId, () => asked({ groupId }, context, ask));
}

/** Looks at a group, with all that the client has changed of it before. */
export function lookAtGroup<Answer>(
  groupId: string,
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return client.groupTurns.look(groupId, () => asked({ groupId }, context, ask));
}

/** Looks at all groups, with all that the client has changed before. */
export function lookAtGroups<Answer>(
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return client.groupTurns.look(ALL, () => asked({ request: "list_groups" }, context, ask));
}

/** A step that changes groups, whichever are due. */
export function changeGroups<Answer>(
  request: "expire_members" | "expire_offsets",
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return client.groupTurns.change(ALL, () => asked({ request }, context, ask));
}

function asked<Answer>(of: Waiter, { cluster, deadlines }: BrokerContext, ask: Ask<Answer>): Promise<Answer> {
  return withinTime(ANSWER_MS, deadlines, of, (giveUp) => ask(cluster.groups, { giveUp }));
}

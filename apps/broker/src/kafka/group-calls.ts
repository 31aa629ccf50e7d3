/** What Kafka's requests of groups have in common: their coordinator, their turn, and their patience. */
import type { BrokerCluster } from "@minikafka/core";
import type { BrokerContext } from "../broker-context.ts";
import { changeGroup, lookAtGroup } from "../group-requests.ts";
import { requireGroupCoordinator } from "./coordinators.ts";
import type { KafkaCall } from "./handler.ts";

type Groups = BrokerCluster["groups"];
type Ask<Answer> = (groups: Groups, wait: { readonly giveUp: AbortSignal }) => Promise<Answer>;

/** Changes a group, behind what the connection asked of it before. Rejects with NOT_COORDINATOR besides. */
export async function changeGroupOf<Answer>(
  groupId: string,
  context: BrokerContext,
  { brokerId, client }: KafkaCall,
  ask: Ask<Answer>,
): Promise<Answer> {
  requireGroupCoordinator(context.cluster, groupId, brokerId);
  return changeGroup(groupId, context, client, ask);
}

/** Looks at a group, with all that the connection has changed of it before. */
export async function lookAtGroupOf<Answer>(
  groupId: string,
  context: BrokerContext,
  { brokerId, client }: KafkaCall,
  ask: Ask<Answer>,
): Promise<Answer> {
  requireGroupCoordinator(context.cluster, groupId, brokerId);
  return lookAtGroup(groupId, context, client, ask);
}

/** The same for what waits for other members: the group says how long, and the end of the broker ends it. */
export async function waitInGroup<Answer>(
  groupId: string,
  { cluster, kafka }: BrokerContext,
  { brokerId, client }: KafkaCall,
  ask: Ask<Answer>,
): Promise<Answer> {
  requireGroupCoordinator(cluster, groupId, brokerId);
  return client.groupTurns.change(groupId, () => ask(cluster.groups, { giveUp: kafka.stopping }));
}

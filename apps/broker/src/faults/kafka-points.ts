/**
 * The points on the way of Kafka's requests: `kafka.` and the name of the API, before it takes effect. What a fault can be bound by is
 * read from the request's own fields, whatever the API: topics with their partitions, groups, transactional ids.
 */
import { FAULT_ACTIONS, type FaultScopeName } from "@minikafka/protocol";
import {
  API_TABLE,
  type ApiName,
  KEY_TYPE_GROUP,
  KEY_TYPE_TRANSACTION,
  ZERO_UUID,
} from "@minikafka/protocol/kafka";
import type { FaultPointView } from "./fault-order.ts";
import type { ScopedRequest } from "./request-points.ts";

const PREFIX = "kafka.";

export function kafkaPoint(api: ApiName): string {
  return `${PREFIX}${api}`;
}

export function isKafkaPoint(point: string): boolean {
  return point.startsWith(PREFIX);
}

/** The API at whose requests the point is; `null` where it is none of Kafka's. */
export function apiOfPoint(point: string): string | null {
  return isKafkaPoint(point) ? point.slice(PREFIX.length) : null;
}

interface Fields {
  readonly [name: string]: unknown;
}

let views: ReadonlyMap<string, FaultPointView> | null = null;

/** All of them, by name, in the order of the keys. */
export function kafkaPoints(): ReadonlyMap<string, FaultPointView> {
  views ??= new Map(
    Object.values(API_TABLE).map(({ name, request }) => {
      const point = kafkaPoint(name);
      return [point, { point, actions: FAULT_ACTIONS, scope: scopeOf(namesIn(request)) }];
    }),
  );
  return views;
}

function scopeOf(names: ReadonlySet<string>): FaultScopeName[] {
  const has = (...some: string[]) => some.some((name) => names.has(name));
  const scope: FaultScopeName[] = ["broker_id"];
  if (has("topics", "topicData", "topicNames", "topicPartitions")) scope.push("topic");
  if (has("partitions", "partitionData", "partitionIndexes")) scope.push("partition");
  if (has("groupId", "groups", "groupsNames", "keyType")) scope.push("group_id");
  if (has("transactionalId", "transactionalIds", "keyType")) scope.push("transactional_id");
  return scope;
}

/** The names of all fields, also of those within. */
function namesIn(type: unknown, found = new Set<string>()): Set<string> {
  const { fields, element } = type as { readonly fields?: Fields; readonly element?: unknown };
  if (element !== undefined) return namesIn(element, found);
  for (const [name, field] of Object.entries(fields ?? {})) {
    found.add(name);
    namesIn((field as Fields).type, found);
  }
  return found;
}

/** What a request is about; `nameOf` knows the topic of an id. */
export function kafkaScope(
  request: Fields,
  brokerId: number,
  nameOf: (topicId: string) => string | null,
): ScopedRequest {
  const groupIds = [request.groupId, ...listed(request.groups), ...listed(request.groupsNames)].map(
    (group) => (isFields(group) ? group.groupId : group),
  );
  const keys = [request.key, ...listed(request.coordinatorKeys)];
  const transactionalIds = [request.transactionalId, ...listed(request.transactionalIds)];
  return {
    broker_id: [brokerId],
    group_id: request.keyType === KEY_TYPE_GROUP ? keys : groupIds,
    transactional_id: request.keyType === KEY_TYPE_TRANSACTION ? keys : transactionalIds,
    places: [...placesIn(request, nameOf)],
  };
}

const TOPIC_LISTS = ["topics", "topicData", "topicNames"];
const PARTITION_LISTS = ["partitions", "partitionData", "partitionIndexes"];

function* placesIn(
  fields: Fields,
  nameOf: (topicId: string) => string | null,
): Generator<{ readonly topic: unknown; readonly partition: unknown }> {
  for (const group of listed(fields.groups)) if (isFields(group)) yield* placesIn(group, nameOf);
  for (const each of TOPIC_LISTS.flatMap((name) => listed(fields[name]))) {
    if (!isFields(each)) {
      yield { topic: each, partition: undefined };
      continue;
    }
    const { topicId = ZERO_UUID } = each;
    // Beside an id the name is empty, or there is none.
    const isById = typeof topicId === "string" && topicId !== ZERO_UUID;
    const topic = isById ? nameOf(topicId) : (each.name ?? each.topic);
    const partitions = PARTITION_LISTS.flatMap((name) => listed(each[name]));
    if (partitions.length === 0) yield { topic, partition: undefined };
    for (const partition of partitions) yield { topic, partition: numberOf(partition) };
  }
}

function numberOf(partition: unknown): unknown {
  return isFields(partition)
    ? (partition.partitionIndex ?? partition.index ?? partition.partition)
    : partition;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

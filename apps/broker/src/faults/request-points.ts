/**
 * The points on the way of a request: `request.` and the name of its operation, before it takes effect. The operations of faults
 * themselves have none, so that whatever is armed can be disarmed.
 */
import {
  type AnyRequest,
  FAULT_ACTIONS,
  FAULT_SCOPES,
  type FaultActionName,
  type FaultScopeName,
  OPERATIONS,
  type OperationName,
} from "@minikafka/protocol";
import { z } from "zod";
import { OPERATIONS_WITHOUT_HISTORY } from "../history/history.ts";
import type { FaultPointView } from "./fault-order.ts";

const WITHOUT_POINT: readonly OperationName[] = [
  "list_faults",
  "arm_fault",
  "disarm_faults",
  "release_fault",
  "crash",
  ...OPERATIONS_WITHOUT_HISTORY,
];

/** What follows the answer of a watch belongs to it (Client.afterAnswer): there is no watch without it, nor one that begins later. */
const WATCH_ACTIONS: readonly FaultActionName[] = ["error", "close", "crash"];

const PREFIX = "request.";

export function requestPoint(operation: OperationName): string {
  return `${PREFIX}${operation}`;
}

/** What it passes: who watches for faults alone is an operation of theirs, and passes none. */
export function pointPassed(request: AnyRequest): string | null {
  const isOfFaults = request.operation === "watch" && request.fault_mark !== undefined;
  return isOfFaults ? null : requestPoint(request.operation);
}

let views: ReadonlyMap<string, FaultPointView> | null = null;

/** All of them, by name, in the order of the table of operations. */
export function requestPoints(): ReadonlyMap<string, FaultPointView> {
  // Only an experiment asks: the schemas are not walked through while a broker starts.
  views ??= new Map(
    (Object.keys(OPERATIONS) as OperationName[])
      .filter((operation) => !WITHOUT_POINT.includes(operation))
      .map((operation) => {
        const actions = operation === "watch" ? WATCH_ACTIONS : FAULT_ACTIONS;
        const point = requestPoint(operation);
        return [point, { point, actions, scope: scopeOf(operation) }];
      }),
  );
  return views;
}

interface JsonFields {
  readonly properties?: { readonly [name: string]: { readonly items?: JsonFields } };
}

/** The fields of that operation by which a fault can be bound, also those within its lists of partitions and offsets. */
function scopeOf(operation: OperationName): FaultScopeName[] {
  const { properties = {} } = z.toJSONSchema(OPERATIONS[operation].request, { io: "input" }) as JsonFields;
  const inner = LISTS.flatMap((name) => Object.keys(properties[name]?.items?.properties ?? {}));
  const names = [...Object.keys(properties), ...inner];
  return FAULT_SCOPES.filter((name) => names.includes(name));
}

const LISTS = ["partitions", "offsets"] as const;

export type RequestScope = { readonly [Name in FaultScopeName]?: string | number | undefined };

/** What a request is about, in whichever protocol it came: all of each that it names. */
export interface ScopedRequest {
  readonly broker_id: readonly unknown[];
  readonly group_id: readonly unknown[];
  readonly transactional_id: readonly unknown[];
  readonly places: readonly { readonly topic: unknown; readonly partition: unknown }[];
}

export function scopeOfRequest(request: AnyRequest): ScopedRequest {
  const fields: Fields = { ...request };
  return {
    broker_id: [fields.broker_id],
    group_id: [fields.group_id],
    transactional_id: [fields.transactional_id],
    places: placesOf(fields).map(({ topic, partition }) => ({ topic, partition })),
  };
}

/** Whether a request is one that a fault is bound to; one that is about several of a kind is, when one of them is. */
export function isWithin(scope: RequestScope, request: ScopedRequest): boolean {
  if (!NAMED.every((name) => scope[name] === undefined || request[name].includes(scope[name]))) return false;
  if (scope.topic === undefined && scope.partition === undefined) return true;
  return request.places.some(
    ({ topic, partition }) =>
      (scope.topic === undefined || scope.topic === topic) &&
      (scope.partition === undefined || scope.partition === partition),
  );
}

const NAMED = ["broker_id", "group_id", "transactional_id"] as const;

interface Fields {
  readonly [name: string]: unknown;
}

/** The request itself and what stands in its lists of places. */
export function placesOf(fields: Fields): readonly Fields[] {
  const lists = LISTS.map((name) => fields[name]).filter((list) => Array.isArray(list));
  return [fields, ...(lists.flat() as Fields[])];
}

/** What a line of JSON asks, and what its answer says, as those who watch requests are told. */
import { isErrorCode, type ReadRequest } from "@minikafka/protocol";
import type { Answer } from "../connections/speech.ts";
import { placesOf } from "../faults/request-points.ts";
import type { Asked, Outcome } from "../request-event.ts";

/** A line that was read, or could not be. */
export type ReadLine = ReadRequest | { readonly kind: "failed"; readonly error: unknown };

export function askedOf(read: ReadLine): Asked {
  if (read.kind !== "request")
    return { operation: null, id: (read.kind === "refused" ? read.id : undefined) ?? null };
  const { operation } = read.request;
  const { topic, partition, broker_id: brokerId }: Fields = read.request;
  return {
    operation,
    id: read.id ?? null,
    ...(typeof topic === "string" ? { topic } : {}),
    ...(typeof partition === "number" ? { partition } : {}),
    ...(typeof brokerId === "number" ? { brokerId } : {}),
  };
}

interface Fields {
  readonly [name: string]: unknown;
}

/** All topics that it names, also those in its lists. */
export function topicsOf(read: ReadLine): ReadonlySet<string> {
  if (read.kind !== "request") return NONE;
  const fields: Fields = { ...read.request };
  const { topics } = fields;
  const named = [...(Array.isArray(topics) ? topics : []), ...placesOf(fields).map(({ topic }) => topic)];
  return new Set(named.filter((topic) => typeof topic === "string"));
}

const NONE: ReadonlySet<string> = new Set();

/** Answers are ours: a success begins as no failure does, and a failure is short. */
export function outcomeOf(answer: Answer): Outcome {
  if (answer === null) return null;
  if (typeof answer !== "string" || !answer.startsWith('{"ok":false')) return "ok";
  const { code } = JSON.parse(answer);
  return isErrorCode(code) ? code : "INTERNAL_ERROR";
}

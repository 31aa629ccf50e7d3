/** What is written here is read there: responses of every API, in every version that one of the npm clients knows as well. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { API_TABLE, type Api, encodeResponse } from "../src/kafka/index.ts";
import type { FieldType } from "../src/kafka/schema.ts";
import { isWithin } from "../src/kafka/version-range.ts";
import { drawnStruct, versionsOf } from "./drawn-messages.ts";
import { readersOf } from "./npm-clients.ts";

/** What a client reads otherwise than Kafka writes it. */
const READ_OTHERWISE = [
  "Metadata 9 by @platformatic/kafka", // leaves out the cluster's operations at the end
  "Metadata 10 by @platformatic/kafka", // likewise
  "DescribeConfigs 2 by @platformatic/kafka", // looks for the type, which version 3 brought
  "OffsetForLeaderEpoch 4 by @platformatic/kafka", // takes the partition for the error
  "AlterPartitionReassignments 0 by kafkajs", // leaves out what an error says
  "ListPartitionReassignments 0 by kafkajs", // likewise
  "SaslAuthenticate 0 by kafkajs", // puts the size before the token
  "SaslAuthenticate 1 by kafkajs", // likewise
];

const KNOWN = Object.values(API_TABLE).flatMap((api: Api) =>
  versionsOf(api).flatMap((version) =>
    readersOf(api, version)
      .filter(({ client }) => !READ_OTHERWISE.includes(`${api.name} ${version} by ${client}`))
      .map((reader) => ({ api, name: api.name, ...reader })),
  ),
);

/** All values that `read` gives, without their names, of which each client has its own. */
function valuesIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Buffer.isBuffer(value)) return [value.toString("hex")];
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  if (value instanceof Map) return [...value].flatMap(valuesIn);
  if (typeof value === "object") return Object.values(value).flatMap(valuesIn);
  return [String(value)];
}

/** The values that a message has on the wire in this version, but for tagged ones, which the clients pass over. */
function valuesOf(type: FieldType, value: unknown, version: number): string[] {
  if (value === null) return [];
  if (type.kind === "array")
    return (value as unknown[]).flatMap((each) => valuesOf(type.element, each, version));
  if (type.kind !== "struct") return valuesIn(value);
  const fields = Object.entries(type.fields).filter(
    ([, { versions, options }]) => isWithin(version, versions) && options.tag === undefined,
  );
  return fields.flatMap(([name, { type: inner }]) =>
    valuesOf(inner, Reflect.get(value as object, name), version),
  );
}

/** Without tagged fields; without errors, which the clients throw; and without the batches of a fetch, which no random bytes are. */
function readable(type: FieldType, value: unknown): unknown {
  if (value === null) return null;
  if (type.kind === "array") return (value as unknown[]).map((each) => readable(type.element, each));
  if (type.kind !== "struct") return value;
  const fields = Object.entries(type.fields).filter(([, { options }]) => options.tag === undefined);
  return Object.fromEntries(
    fields.map(([name, { type: inner }]) => {
      if (name === "records") return [name, null];
      if (name === "recordErrors") return [name, []];
      return [name, /errorcode$/i.test(name) ? 0 : readable(inner, Reflect.get(value as object, name))];
    }),
  );
}

/** Those of `values` that `others` has not as often. */
function missing(values: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return values.filter((value) => {
    const at = left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

describe.each(KNOWN)("$name $version by $client", ({ api, version, read }) => {
  test("reads what was written", async () => {
    await fc.assert(
      fc.asyncProperty(drawnStruct(api.response, version), async (drawn) => {
        const response = readable(api.response, drawn);
        const body = encodeResponse(api, version, response as never);
        expect(missing(valuesOf(api.response, response, version), valuesIn(await read(body)))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

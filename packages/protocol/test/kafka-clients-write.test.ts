/** What is written there is read here: requests of the npm clients, in every version that they and we know. */
import { describe, expect, test } from "vitest";
import { API_TABLE, type Api, type ApiName, decodeRequest } from "../src/kafka/index.ts";
import type { FieldType } from "../src/kafka/schema.ts";
import { isWithin } from "../src/kafka/version-range.ts";
import { versionsOf } from "./drawn-messages.ts";
import { kafkaJsBody, platformaticBody, readersOf } from "./npm-clients.ts";
import { SAMPLES, type Sample } from "./sample-requests.ts";

/** Where a client writes what Kafka would not read. */
const WRITTEN_OTHERWISE = [
  "DescribeConfigs 2 by @platformatic/kafka", // with the wish for documentation, which version 3 brought
  "Metadata 11 by @platformatic/kafka", // with the wish for the cluster's operations, which version 11 took away
  // The id of a topic stands for its name.
  "Fetch 12 by @platformatic/kafka",
];

/** Not sampled: batches and lists that differ from version to version in the clients' words. */
const ELSEWHERE: readonly ApiName[] = ["Produce", "OffsetFetch", "LeaveGroup"];

function apiNamed(name: ApiName): Api {
  const api = Object.values(API_TABLE).find((each) => each.name === name);
  if (api === undefined) throw new Error(`no API is named ${name}`);
  return api;
}

const KNOWN = SAMPLES.flatMap((sample) => {
  const api = apiNamed(sample.name);
  return versionsOf(api).flatMap((version) =>
    readersOf(api, version)
      .filter(({ client }) => wordsOf(sample, client) !== null)
      .filter(({ client }) => !WRITTEN_OTHERWISE.includes(`${api.name} ${version} by ${client}`))
      .map(({ client }) => ({ api, name: api.name, version, client, sample })),
  );
});

function wordsOf(sample: Sample, client: string): readonly unknown[] | null {
  return client === "kafkajs" ? sample.kafkaJs : sample.platformatic;
}

/** What of a request there is in a version. */
function presentIn(version: number, type: FieldType, value: unknown): unknown {
  if (Array.isArray(value) && type.kind === "array")
    return value.map((each) => presentIn(version, type.element, each));
  if (type.kind !== "struct" || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const field = type.fields[name];
      if (field === undefined) throw new Error(`there is no field ${name}`);
      return isWithin(version, field.versions) ? [[name, presentIn(version, field.type, each)]] : [];
    }),
  );
}

describe.each(KNOWN)("$name $version by $client", ({ api, version, client, sample }) => {
  test("is read as it was meant", async () => {
    const words = wordsOf(sample, client) ?? [];
    const body =
      client === "kafkajs" ? await kafkaJsBody(api, version, words) : platformaticBody(api, version, words);
    expect(decodeRequest(api, version, body)).toMatchObject(
      presentIn(version, api.request, sample.request) as object,
    );
  });
});

test("each API has its sample, or its reason", () => {
  const sampled: readonly ApiName[] = [...SAMPLES.map(({ name }) => name), ...ELSEWHERE];
  expect([...sampled].sort()).toEqual(
    Object.values(API_TABLE)
      .map(({ name }) => name)
      .sort(),
  );
});

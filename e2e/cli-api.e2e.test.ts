/** `api` beside brokers of this process: what Kafka's clients may ask of one, and what not. */
import { API_TABLE } from "@minikafka/protocol/kafka";
import type { StartOptions } from "@minikafka/testing";
import { expect, test } from "vitest";
import { command } from "./support/cli.ts";
import { clusterOf, startedBroker } from "./support/transfer-world.ts";

async function apiOf(own: StartOptions, ...argv: string[]) {
  const broker = await startedBroker(own);
  return { broker, ended: await command(broker.address, ["api", ...argv]) };
}

/** As the broker has them. */
const OFFERED = Object.values(API_TABLE)
  .map((api) => ({
    key: api.key,
    name: api.name,
    min_version: api.versions[0],
    max_version: api.versions[1],
  }))
  .toSorted((one, other) => one.key - other.key);

test("api versions lists what the broker answers, with the versions that it offers", async () => {
  const { broker, ended } = await apiOf({}, "versions", "-J");
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const { kafka, apis } = JSON.parse(ended.stdout);
  expect(kafka).toBe(clusterOf(broker));
  expect(apis).toEqual(OFFERED);
  const table = await command(broker.address, ["api", "versions"]);
  expect(table.stdout.split("\n").slice(0, 2)).toEqual([
    "KEY  API                          MIN-VERSION  MAX-VERSION",
    "0    Produce                      0            11",
  ]);
});

test("api unsupported names all others that Kafka has, the broker of another cluster's too", async () => {
  const { broker, ended } = await apiOf({}, "unsupported", "-J");
  const { apis } = JSON.parse(ended.stdout);
  const versions = await command(broker.address, ["api", "versions", "-J"]);
  const served = JSON.parse(versions.stdout).apis;
  const keys = [...apis, ...served].map(({ key }: { key: number }) => key).sort((one, other) => one - other);
  expect(keys).toEqual(Array.from(keys, (_, key) => key));
  expect(apis).toContainEqual({ key: 68, name: "ConsumerGroupHeartbeat" });

  const other = await apiOf({ kafka: false }, "unsupported", "--kafka", clusterOf(broker));
  expect(other.ended).toMatchObject({ code: 0, stderr: "" });
  expect(other.ended.stdout).toMatch(/^KEY +API\n(?:\d+ +\w+\n)+$/);
});

test("a broker without a port for Kafka's clients is told to need one, and what is no Kafka is told as what it is", async () => {
  const { broker, ended } = await apiOf({ kafka: false }, "versions");
  expect(ended).toMatchObject({ code: 7, stdout: "" });
  expect(ended.stderr).toMatch(/no port for Kafka's clients, which this needs\nhint: .*--kafka-port 9092/);
  const { host, port } = broker.address;
  const wrong = await command(broker.address, ["api", "versions", "--kafka", `kafka://${host}:${port}`]);
  expect(wrong).toMatchObject({ code: 7, stdout: "" });
  expect(wrong.stderr).toMatch(/is a MiniKafka broker's port for lines of JSON/);
});

/** ApiVersions, Metadata, DescribeCluster: what a client asks first. */
import { API_TABLE } from "@minikafka/protocol/kafka";
import type { World } from "../world.ts";
import type { Scenario } from "./scenario.ts";

async function versionsOf(world: World): Promise<void> {
  const client = { clientSoftwareName: "oracle", clientSoftwareVersion: "1.0" };
  const outcome = await world.quietly("ApiVersions", client);
  if (outcome.kind !== "answer") throw new Error(`ApiVersions: ${outcome.kind}`);
  const { apiKeys } = outcome.response;
  const ranges = Object.values(API_TABLE).map(({ key, name }) => {
    const found = apiKeys.find(({ apiKey }) => apiKey === key);
    return [name, found === undefined ? "not offered" : `${found.minVersion}-${found.maxVersion}`];
  });
  world.note("the versions of the APIs that are here", "ApiVersions", Object.fromEntries(ranges));
  for (const [what, name, version] of [
    ["a client without a name", "", "1.0"],
    ["a client whose name has a space", "a client", "1.0"],
    ["a client without a version", "oracle", ""],
    ["a client with a name of a dash", "-", "1"],
  ] as const) {
    const request = { clientSoftwareName: name, clientSoftwareVersion: version };
    const answer = await world.quietly("ApiVersions", request);
    const told = answer.kind === "answer" ? answer.response.errorCode : answer.kind;
    world.note(what, "ApiVersions", told);
  }
}

/** Other scenarios leave topics behind, so that all topics are never compared. */
async function topics(world: World): Promise<void> {
  const orders = await world.makeTopic("orders", 3);
  const ask = (step: string, names: readonly (string | null)[], more: object = {}) =>
    world.ask(step, "Metadata", {
      topics: names.map((name) => ({ name })),
      allowAutoTopicCreation: false,
      ...more,
    });
  await ask("a topic", [orders.name]);
  await ask("a topic twice", [orders.name, orders.name]);
  await ask("a topic with operations", [orders.name], {
    includeTopicAuthorizedOperations: true,
    includeClusterAuthorizedOperations: true,
  });
  if (world.pass === "high") await ask("a topic that is not there", [world.name("nobody")]);
  for (const name of ["", ".", "..", "a b", "a/b", "ö", "x".repeat(249), "x".repeat(250)]) {
    const said = name.length > 10 ? `x ${name.length} times` : JSON.stringify(name);
    if (world.pass === "high") await ask(`the name ${said}`, [name]);
  }
  if (world.pass === "high") {
    await ask("no topic", []);
    await world.ask("by id", "Metadata", { topics: [{ name: null, topicId: orders.topicId }] });
    await world.ask("by id and name", "Metadata", { topics: [{ ...orders }] });
    await world.ask("by an unknown id", "Metadata", {
      topics: [{ name: null, topicId: "11111111-1111-1111-1111-111111111111" }],
    });
    await world.ask("by neither", "Metadata", { topics: [{ name: null }] });
    await world.ask("one of two ids unknown", "Metadata", {
      topics: [
        { name: null, topicId: orders.topicId },
        { name: null, topicId: "11111111-1111-1111-1111-111111111111" },
      ],
    });
    await world.ask("a bad name that may be made", "Metadata", { topics: [{ name: "a b" }] });
    await world.ask("an internal name that may be made", "Metadata", { topics: [{ name: "__mine" }] });
  }
  const made = world.name("made-by-asking");
  await world.quietly("Metadata", { topics: [{ name: made }], allowAutoTopicCreation: true });
  await world.topicThatIs(made);
  await ask("a topic that asking has made", [made]);
}

async function cluster(world: World): Promise<void> {
  const ask = (step: string, request: object) => world.ask(step, "DescribeCluster", request);
  await ask("the cluster", {});
  await ask("the cluster with operations", { includeClusterAuthorizedOperations: true });
  if (world.version("DescribeCluster") === 0) return;
  await ask("the controllers", { endpointType: 2 });
  await ask("endpoints of type 9", { endpointType: 9 });
}

async function sasl(world: World): Promise<void> {
  await world.ask("a mechanism", "SaslHandshake", { mechanism: "PLAIN" });
  await world.ask("a mechanism that nobody has", "SaslHandshake", { mechanism: "MAGIC" });
  await world.ask("a token", "SaslAuthenticate", { authBytes: Buffer.from("\0a\0b") });
}

export const METADATA: readonly Scenario[] = [
  { name: "api versions", run: versionsOf },
  { name: "metadata", run: topics },
  { name: "cluster", run: cluster },
  { name: "sasl", run: sasl },
];

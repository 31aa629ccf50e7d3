/** Both sides go through the script, each by itself and at the same time. */
import { setTimeout as pause } from "node:timers/promises";
import {
  API_TABLE,
  type ApiName,
  KEY_TYPE_GROUP,
  KEY_TYPE_TRANSACTION,
  servedVersions,
} from "@minikafka/protocol/kafka";
import { type Difference, differences, merged, type Step } from "./compare.ts";
import { Connection } from "./connection.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { type Pass, type Side, World } from "./world.ts";

const READY_TRIES_MAX = 1_200;
const ASK_AGAIN_MS = 50;

type Versions = ReadonlyMap<ApiName, { readonly from: number; readonly to: number }>;

async function again(isReady: () => Promise<boolean>, problem: string): Promise<void> {
  for (let tries = 0; !(await isReady()); tries += 1) {
    if (tries >= READY_TRIES_MAX) throw new Error(problem);
    await pause(ASK_AGAIN_MS);
  }
}

/** Waits until a broker is in its cluster and coordinates, and returns the versions that it offers. */
async function offeredBy({ host, port }: Side): Promise<Versions> {
  const connection = await Connection.open(host, port);
  try {
    await again(async () => {
      const outcome = await connection.ask("Metadata", 12, { topics: [] });
      return outcome.kind === "answer" && outcome.response.brokers.length > 0;
    }, `the broker at ${host}:${port} is in no cluster`);
    // The internal topics are made when somebody asks for a coordinator; it takes a while until each of their partitions leads.
    for (const keyType of [KEY_TYPE_GROUP, KEY_TYPE_TRANSACTION]) {
      const keys = Array.from({ length: 40 }, (_, number) => `key-${number}`);
      await again(async () => {
        const outcome = await connection.ask("FindCoordinator", 4, { keyType, coordinatorKeys: keys });
        return (
          outcome.kind === "answer" && outcome.response.coordinators.every(({ errorCode }) => errorCode === 0)
        );
      }, `the broker at ${host}:${port} coordinates nothing`);
    }
    const outcome = await connection.ask("ApiVersions", 4, {
      clientSoftwareName: "oracle",
      clientSoftwareVersion: "1",
    });
    if (outcome.kind !== "answer") throw new Error(`ApiVersions: ${outcome.kind}`);
    const byKey = new Map(outcome.response.apiKeys.map((each) => [each.apiKey, each]));
    return new Map(
      Object.values(API_TABLE).flatMap((api) => {
        const found = byKey.get(api.key);
        const { from, to } = servedVersions(api);
        if (found === undefined) return [];
        return [[api.name, { from: Math.max(from, found.minVersion), to: Math.min(to, found.maxVersion) }]];
      }),
    );
  } finally {
    connection.close();
  }
}

function shared(one: Versions, other: Versions, pass: Pass): ReadonlyMap<ApiName, number> {
  return new Map(
    [...one].flatMap(([name, { from, to }]) => {
      const their = other.get(name);
      if (their === undefined) return [];
      const [lowest, highest] = [Math.max(from, their.from), Math.min(to, their.to)];
      return lowest > highest ? [] : [[name, pass === "low" ? lowest : highest]];
    }),
  );
}

async function goThrough(scenario: Scenario, world: World): Promise<readonly Step[]> {
  try {
    await scenario.run(world);
  } catch (error) {
    world.note("the end of the scenario", "ApiVersions", (error as Error).message);
  } finally {
    world.close();
  }
  return world.steps;
}

export interface SessionResult {
  readonly steps: number;
  readonly differences: readonly Difference[];
}

export async function runSession(
  ours: Side,
  kafka: Side,
  scenarios: readonly Scenario[],
  told: (line: string) => void,
): Promise<SessionResult> {
  const [own, theirs] = [await offeredBy(ours), await offeredBy(kafka)];
  const found: Difference[] = [];
  let steps = 0;
  for (const scenario of scenarios) {
    for (const pass of ["low", "high"] as const) {
      told(`${scenario.name}, ${pass === "low" ? "lowest" : "highest"} versions`);
      const versions = shared(own, theirs, pass);
      const [one, other] = await Promise.all(
        [ours, kafka].map((side) => goThrough(scenario, new World(side, pass, versions, scenario.name))),
      );
      steps += Math.max(one?.length ?? 0, other?.length ?? 0);
      found.push(...differences(one ?? [], other ?? []));
    }
  }
  return { steps, differences: merged(found) };
}

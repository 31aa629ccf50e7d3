/**
 * Clients of every kind at once on a daemon that is ended again and again, at drawn moments and in drawn ways, and comes back each time
 * with other options and without a hand. What they were promised is what they are judged by. Long: npm run soak.
 */
import { connect } from "@minikafka/client";
import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { output } from "./support/cli.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { dice } from "./support/dice.ts";
import { audit } from "./support/soak/audit.ts";
import { createTopics, workAll } from "./support/soak/clients.ts";
import { DaemonLives } from "./support/soak/daemon-lives.ts";
import { History } from "./support/soak/history.ts";
import { Progress } from "./support/soak/progress.ts";
import { soakTable } from "./support/soak/report.ts";
import type { SoakWorld } from "./support/soak/soak-world.ts";

const KILLS = Number(process.env.MINIKAFKA_KILLS ?? 4);
const SEED = Number(process.env.MINIKAFKA_SEED ?? 1);
/** When that is over, as many kills as there were are enough. */
const MINUTES = Number(process.env.MINIKAFKA_MINUTES ?? Number.POSITIVE_INFINITY);
/** Audits read everything, and so are not after each kill. */
const KILLS_PER_AUDIT = 25;

interface Soak {
  readonly world: SoakWorld;
  readonly lives: DaemonLives;
}

async function openSoak(): Promise<Soak> {
  const below = dice(SEED + 1);
  const progress = new Progress();
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  const lives = new DaemonLives(proxy, dice(SEED), progress);
  onTestFailed(() => console.error(`seed ${SEED}\n${lives.options.join(" ")}\n${lives.complaints}`));
  await lives.start();
  const office = await connect({ port: proxy.port }, { requestTimeoutMs: 5_000 });
  onTestFinished(() => office.close().catch(() => {}));
  await createTopics(office);
  const bytesUntilCut = () => 5_000 + below(below(4) === 0 ? 500_000 : 100_000);
  const world = { below, port: proxy.port, bytesUntilCut, office, history: new History(), progress };
  return { world, lives };
}

async function requireKept({ world }: Soak): Promise<void> {
  const { checked, broken } = await audit(world);
  world.progress.note("promises checked", checked);
  expect(broken.slice(0, 20), `${broken.length} broken promises`).toEqual([]);
}

/** Ends daemons until there were enough of it, each after it has achieved something. */
async function endAgainAndAgain(soak: Soak): Promise<void> {
  const { progress } = soak.world;
  const below = dice(SEED + 2);
  let audits = 0;
  const untilMs = performance.now() + MINUTES * 60_000;
  while (!progress.isOver && progress.count("SIGKILL") < KILLS && performance.now() < untilMs) {
    await progress.after(5 + below(below(4) === 0 ? 800 : 80));
    await soak.lives.end();
    if (progress.count("SIGKILL") < (audits + 1) * KILLS_PER_AUDIT) continue;
    audits += 1;
    await requireKept(soak);
    console.log(`kills ${progress.count("SIGKILL")}, promises checked ${progress.count("promises checked")}`);
  }
  await progress.after(50);
  progress.end();
}

test("whatever ends the daemon, whenever, it comes back by itself, and nothing that any client was promised is lost, doubled or torn", {
  timeout: 60_000 + KILLS * 20_000,
}, async () => {
  const startedMs = performance.now();
  const soak = await openSoak();
  const { world, lives } = soak;
  const ending = endAgainAndAgain(soak);
  const working = Promise.all([workAll(world), ending]);
  // Whoever fails ends it for all, so that no daemon is started behind the test's back.
  const [transactions] = await working.catch(async (problem: unknown) => {
    world.progress.end();
    await Promise.allSettled([ending]);
    throw problem;
  });
  // Whatever is in the way of the last crash is in the way of nobody.
  for (const isLast of [false, true]) {
    await requireKept(soak);
    world.progress.note("promises checked", await transactions.judge());
    if (isLast) break;
    await lives.kill();
    await lives.start();
  }
  await lives.endCleanly();
  expect(await output(null, ["log", "verify", lives.data])).not.toContain("damage");
  expect(lives.complaints).toBe("");
  const { progress } = world;
  const seconds = (performance.now() - startedMs) / 1_000;
  console.log(soakTable({ seed: SEED, progress, lives, seconds, anomalies: 0 }));
});

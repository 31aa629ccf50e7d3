/**
 * docs/outgrowing-one-machine.md, as its reader types it: the application moves while it runs, every order is billed, none twice. The cluster
 * that it moves to is another broker of ours, and with `npm run outgrow` Apache Kafka; only addresses are others.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startBroker, type TestBroker } from "@minikafka/testing";
import { expect, onTestFinished, test } from "vitest";
import { apacheKafka, WITH_APACHE_KAFKA } from "./support/apache-kafka.ts";
import { command, output } from "./support/cli.ts";
import { temporaryFolder } from "./support/daemon.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const PAGE = readFileSync(new URL("../docs/outgrowing-one-machine.md", import.meta.url), "utf8");
const SHOP = /^```js\n(.*?)^```/ms.exec(PAGE)?.[1] ?? "";

/** The page's commands that begin so, as arguments, with the cluster's address. */
function commandsOf(begin: string, cluster: string): string[][] {
  const lines = [...PAGE.matchAll(/^npx minikafka-cli -b 127\.0\.0\.1:9600 (.*)$/gm)].map(
    ([, line = ""]) => line,
  );
  return lines
    .filter((line) => line.startsWith(begin))
    .map((line) => line.replace("kafka.example:9092", cluster).split(" "));
}

async function brokerOfTests(): Promise<TestBroker> {
  const broker = await startBroker({ settings: { port: 0 } });
  onTestFinished(() => broker.close());
  return broker;
}

/** The application, with what it took and what it billed. */
class Shop {
  readonly took: string[] = [];
  readonly billed: string[] = [];
  readonly #child;
  #wake: () => void = () => {};

  constructor(kafka: string) {
    this.#child = spawn(process.execPath, ["--input-type=module", "-e", SHOP], {
      cwd: FOLDER,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, KAFKA: kafka, KAFKAJS_NO_PARTITIONER_WARNING: "1" },
    });
    onTestFinished(() => void this.#child.kill("SIGKILL"));
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const [, what, order = ""] = /^(took|billed) (.*)$/.exec(line) ?? [];
      (what === "took" ? this.took : this.billed).push(order);
      this.#wake();
    });
  }

  /** Resolves when it has billed so many; the test's own bound ends the wait. */
  async hasBilled(holds: (billed: readonly string[]) => boolean): Promise<void> {
    while (!holds(this.billed))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGINT");
    expect(await once(this.#child, "close")).toEqual([0, null]);
  }
}

test("the page's application moves to another cluster, and every order is billed once", async ({ skip }) => {
  const there = WITH_APACHE_KAFKA ? await apacheKafka() : (await brokerOfTests()).bootstrapServers;
  if (there === null) return skip("Apache Kafka cannot be had here");
  const here = await brokerOfTests();
  const state = ["--state", temporaryFolder()];
  for (const create of commandsOf("topics create", there)) await output(here.address, create);
  const [look = [], most = [], rest = [], ...others] = commandsOf("export", there);
  expect([look.at(-1), rest.slice(-2), others]).toEqual(["--dry-run", ["--groups", "billing"], []]);

  const before = new Shop(here.bootstrapServers);
  await before.hasBilled((billed) => billed.length >= 10);
  expect(await output(here.address, [...look, ...state])).toMatch(/^orders +orders +3 +is created /m);
  await output(here.address, [...most, ...state]);
  const soFar = before.billed.length;
  await before.hasBilled((billed) => billed.length >= soFar + 5);
  await before.stop();
  expect(await output(here.address, [...rest, ...state])).toMatch(/^billing +orders +\d .* carried$/m);

  expect(PAGE).toContain("\nKAFKA=kafka.example:9092 node shop.mjs\n");
  const after = new Shop(there);
  await after.hasBilled((billed) =>
    before.took.every((order) => [...before.billed, ...billed].includes(order)),
  );
  await after.hasBilled((billed) => billed.length >= 10 && after.took.length >= 10);
  const [back = []] = commandsOf("import", there);
  expect(await output(here.address, [...back, ...state])).toMatch(/^orders-there +0 /m);
  await after.stop();
  const billed = [...before.billed, ...after.billed];
  expect(new Set(billed).size).toBe(billed.length);
  const took = new Set([...before.took, ...after.took]);
  expect(billed.filter((order) => !took.has(order))).toEqual([]);
  expect(before.took.filter((order) => !billed.includes(order))).toEqual([]);
});

test("each hint that the page's table of troubles quotes is said by the command", async () => {
  const here = await brokerOfTests();
  const lone = await startBroker({ settings: { port: 0 }, kafka: false });
  onTestFinished(() => lone.close());
  const said = async (broker: TestBroker, to: string) =>
    (await command(broker.address, ["export", "orders", "--to", to])).stderr;
  const json = `kafka://127.0.0.1:${here.address?.port}`;
  const all = [await said(here, json), await said(here, "kafka://127.0.0.1:1"), await said(lone, json)].join(
    "",
  );
  for (const quoted of [
    "is not reached",
    "is a MiniKafka broker's port for lines of JSON",
    "has no port for Kafka's clients",
  ]) {
    expect(PAGE).toContain(`\`${quoted}\``);
    expect(all).toContain(quoted);
  }
});

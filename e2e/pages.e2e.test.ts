/** The commands of README, of the pages in docs and of the packages' READMEs, typed as they stand there. What another test types is left to it, and what none can type says why. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonLines } from "./support/cli.ts";
import { Page } from "./support/page.ts";

const BROKER = "node_modules/.bin/minikafka-broker";
const START = "tools/start-trial.mjs";
const FOREVER = "it goes on until its reader has seen enough";

const PAGES = [
  "README.md",
  "apps/broker/README.md",
  "apps/cli/README.md",
  "docs/breaking-things.md",
  "docs/http.md",
  "docs/kafka-clients.md",
  "docs/kafkajs-suite.md",
  "docs/lessons.md",
  "docs/outgrowing-one-machine.md",
  "docs/profiles.md",
  "docs/stepping.md",
  "docs/tour.md",
  "docs/traces.md",
  "packages/simulator/README.md",
  "packages/testing/README.md",
];

test("every page with commands has a test here", () => {
  const root = new URL("../", import.meta.url);
  const names = (folder: string) => readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`);
  const packages = ["apps", "packages"].flatMap(names).map((folder) => `${folder}/README.md`);
  const docs = names("docs").filter((name) => name.endsWith(".md"));
  const pages = ["README.md", ...docs, ...packages];
  const withCommands = pages.filter((page) => /^```sh$/m.test(readFileSync(new URL(page, root), "utf8")));
  expect(withCommands.sort()).toEqual([...PAGES].sort());
});

/** A page that goes on where a README's reader stands: with the broker of `npm start`. */
async function besideTheStarted(path: string): Promise<Page> {
  const page = await Page.open(path);
  await page.start("minikafka-broker --data ./data");
  await page.line("export MINIKAFKA_BROKER=127.0.0.1:9192");
  return page;
}

test("README.md", async () => {
  const page = await besideTheStarted("README.md");
  page.leaves("npm start -- --kafka-port 9092", START);
  page.leaves("npm start\n", START);
  const first = await page.types("npx minikafka-cli topics create orders -p 2");
  expect(first.stdout).toMatch(/\{"topic":"orders","partition":1,"offset":0,.*"value":"created"/);
  const seen = await page.types(`${BROKER} --data ./experiment`);
  expect(seen.stdout).toMatch(/offset 0\nSTEP .*\npaid\nPARTITION .* 1 {8}1 .* 1 {8}0 /s);
  expect(seen.stderr).toMatch(
    /% 0 records: offset 0 of payments \[0\] is not yet on every in-sync replica; .*: 1 record\n/s,
  );
  const lost = await page.types("npx minikafka-cli produce payments -v refunded");
  expect(lost.stdout).toMatch(/^partition 0, offset 1\n.*\npayments +0 +1 +0 +0 +1\npaid\n$/s);
  const faults = await page.types(`${BROKER} --data ./faults`);
  expect(faults.stdout).toMatch(/\nfault 1 fired once in .*\ndisarmed 1 fault\n$/);
  page.leaves("npm run pack", "tools/pack/own-project.mjs");
  page.ends();
});

test("docs/tour.md", async () => {
  const page = await besideTheStarted("docs/tour.md");
  await page.types(`${BROKER} --data ./lab`);
  const compacted = await page.types("export MINIKAFKA_BROKER=127.0.0.1:9189");
  expect(compacted.stdout).toMatch(/\n1 bob=5\n2 alice=2\n$/);
  const three = await page.types(`${BROKER} --data ./three`);
  expect(three.stdout).toMatch(/\n0 {10}1 {6}2 {8}leader /);
  await page.line("export MINIKAFKA_BROKER=127.0.0.1:9192");
  const made = page.next(9192, "topic_created", "jobs");
  const ends = { fails: { "consume jobs -g workers": 130 } };
  const consuming = page.types("npx minikafka-cli topics create jobs", { ...ends, terminal: "a" });
  await made;
  const beside = page.line("npx minikafka-cli consume jobs -g workers", { terminal: "b" });
  const drained = await page.types("npx minikafka-cli groups wait workers --members 2 --state stable", {
    terminal: "c",
  });
  expect(drained.stdout.match(/^workers +jobs /gm)).toHaveLength(4);
  page.interrupts("a");
  page.interrupts("b");
  const consumed = await Promise.all([consuming, beside]);
  const values = consumed.flatMap(({ stdout }) => stdout.match(/^[1-4]$/gm) ?? []);
  expect(values.sort()).toEqual(["1", "2", "3", "4"]);
  const moved = await page.types("npx minikafka-cli groups seek workers --to-earliest\n");
  expect(moved.stdout.match(/^[1-4]$/gm)?.sort()).toEqual(["1", "2", "3", "4"]);
  const transfers = await page.types("npx minikafka-cli topics create ledger", {
    fails: { "produce ledger --jsonl --transactional-id transfers": 2 },
  });
  expect(transfers.stderr).toContain("INVALID_INPUT");
  const shown = await page.types("npx minikafka-cli fetch ledger -p 1");
  expect(shown.stdout).toBe("0 alice=-10\n2 alice=-99\n0 alice=-10\n");
  const open = page.next(9192, "appended", "ledger");
  void page.types("(echo alice:-5; sleep 60)", { terminal: "open", realCommands: true });
  await open;
  const ongoing = await page.types("npx minikafka-cli tx list --state ongoing");
  expect(ongoing.stdout).toContain("\nPARTITIONS        ledger(1)\n");
  const aborted = await page.types("npx minikafka-cli fetch ledger -p 1");
  expect(aborted.stderr).toContain("% stopped before an open transaction (ledger [1] at offset 4): 1 record");
  expect(aborted.stderr).toContain("% reached the end of ledger: 1 record");
  page.ends();
});

test("the READMEs of the packages", async () => {
  const cli = await besideTheStarted("apps/cli/README.md");
  const seen = await cli.types("npx minikafka-cli topics create orders -p 2");
  expect(seen.stdout).toMatch(/\{"topic":"orders","partition":1,"offset":0,.*"value":"created".*\nTOPIC .*/s);
  cli.ends();
  const broker = await Page.open("apps/broker/README.md");
  await broker.types("npx @minikafka/broker --data ./data --kafka-port 9092");
  expect((await broker.line("npx minikafka-cli -b 127.0.0.1:9192 ping")).status).toBe(0);
  broker.ends();
  const testing = await Page.open("packages/testing/README.md");
  testing.leaves("npm install --save-dev", "tools/pack/other-installs.mjs");
  testing.ends();
  const simulator = await Page.open("packages/simulator/README.md");
  simulator.excuses("npm run simulate", "it takes minutes; its command-line.test.ts reads the words");
  simulator.ends();
});

test("docs/breaking-things.md", async () => {
  const page = await Page.open("docs/breaking-things.md", { realBrokers: true });
  await page.types(BROKER);
  const exported = "export MINIKAFKA_BROKER=127.0.0.1:9197";
  await page.types(exported);
  const lost = await page.types(
    "minikafka-cli fault arm request.produce close-after\nminikafka-cli produce orders -v paid",
    {
      fails: { "produce orders -v paid": 7 },
    },
  );
  expect(lost.stderr).toContain("error: CONNECTION");
  expect(lost.stdout).toContain("\npaid\n");
  const again = await page.types(
    "minikafka-cli fault arm request.produce close-after\nminikafka-cli produce orders -v shipped",
  );
  expect(again.stdout.match(/^shipped$/gm)).toHaveLength(1);
  const told = await page.types("minikafka-cli fault list");
  expect(told.stdout).toMatch(/\nfault 1 fired once in .*\nfault 2 fired once in .*\ndisarmed 2 faults\n$/);
  await page.types("minikafka-cli fault arm log.append.after_write crash", {
    fails: { "produce orders -v delivered --acks all": 7 },
  });
  await page.start(`${BROKER} --data ./broken --lab --port 9197`);
  await page.line(exported);
  const found = await page.types("minikafka-cli fetch orders -e");
  expect(found.stdout).toContain("delivered\n");
  page.ends();
});

test("docs/kafka-clients.md, beside kafka-page.e2e.test.ts, which has its programs", async () => {
  const page = await Page.open("docs/kafka-clients.md");
  const first = page.leaves("npm init -y\nnpm install", "tools/pack/other-installs.mjs");
  await page.start(first.trim().split("\n").at(-1) ?? "");
  await page.line(
    "export MINIKAFKA_BROKER=127.0.0.1:9200; minikafka-cli topics create orders -p 3 -r 3; minikafka-cli produce orders -p 0 -k alice -v created; minikafka-cli consume orders -g billing -e",
  );
  const seen = await page.types("npx minikafka-cli -b 127.0.0.1:9200 fetch orders");
  expect(seen.stdout).toMatch(/"value":"created".*\nGROUP /s);
  const away = await page.types("export MINIKAFKA_BROKER=127.0.0.1:9200\nnpx minikafka-cli broker stop 1");
  expect(away.commands.filter(({ words }) => words[0] === "promote").length).toBeGreaterThan(0);
  const led = await page.line("minikafka-cli topics describe -q");
  expect(led.stdout).not.toMatch(/^\S+ +\d+ +- /m);
  await page.types(`${BROKER} --data ./held`);
  await page.types("npx minikafka-cli -b 127.0.0.1:9201 clock advance 5s");
  const [, turn = ""] =
    /do (.*); done/.exec(page.excuses("while sleep 1; do", `${FOREVER}; one turn of it is typed`)) ?? [];
  expect((await page.line(turn)).status).toBe(0);
  await page.types("npx minikafka-cli -b 127.0.0.1:9200 fault arm kafka.Produce close-after");
  let isOver = false;
  const watching = page
    .types("npx minikafka-cli -b 127.0.0.1:9200 watch\n", { terminal: "watch", until: /request_refused/ })
    .finally(() => {
      isOver = true;
    });
  // What a client of Kafka's says first, to the port for lines of JSON, until that is seen.
  while (!isOver)
    await page.line(
      "printf '\\0\\0\\0\\43\\0\\22\\0\\3' > /dev/tcp/127.0.0.1/$(cut -d: -f2 <<< $MINIKAFKA_BROKER)",
    );
  expect((await watching).stdout).toContain("request_refused");
  page.ends();
});

test("docs/kafkajs-suite.md", async () => {
  const page = await Page.open("docs/kafkajs-suite.md");
  await page.types("minikafka-broker --data ./suite-data");
  const suite = "it takes a checkout of kafkajs from the network, and hours";
  page.excuses("git clone https://github.com/tulios/kafkajs", suite);
  page.excuses("cat > scripts/addPartitions.sh", suite);
  page.excuses("export KAFKA_VERSION=2.4", suite);
  page.ends();
});

test("docs/lessons.md", async () => {
  const page = await Page.open("docs/lessons.md");
  const lab = await page.types("npx minikafka-cli lab list");
  expect(lab.stdout).toContain("high-watermark");
  await page.types(BROKER);
  const typed = "export MINIKAFKA_BROKER=127.0.0.1:9198; npx minikafka-cli topics create orders -r 3";
  expect((await page.line(typed)).stdout).toBe("created topic orders, partitions 1, replicas 3\n");
  page.excuses("MINIKAFKA_UPDATE=1 npx vitest", "it writes the scenarios of this repository anew");
  page.ends();
});

test("docs/http.md", async () => {
  const page = await Page.open("docs/http.md");
  const ready = await page.types("npx minikafka-broker --data ./data --http-port");
  expect(JSON.parse(ready.stdout)).toEqual({ ready: true, reasons: [] });
  await page.line("npx minikafka-cli -b 127.0.0.1:9192 topics create orders payments shipments");
  const looked = await page.types("curl -s http://127.0.0.1:9193/snapshot");
  const states = jsonLines(looked.stdout) as unknown as { topics: { topic: string }[] }[];
  expect(states.map(({ topics }) => topics.map(({ topic }) => topic))).toEqual([
    ["orders", "payments", "shipments"],
    ["orders", "payments"],
  ]);
  const urls = ["events", "events?kinds=isr_changed,leader_changed&topics=orders", "events?requests=true"];
  const fails = Object.fromEntries(urls.map((path) => [`curl -N http://127.0.0.1:9193/${path}`, 130]));
  const told = await page.types("curl -N http://127.0.0.1:9193/events", { until: /^id: \S+$/m, fails });
  expect(told.stdout.match(/^id: \S+$/gm)).toHaveLength(urls.length);
  page.ends();
});

test("docs/outgrowing-one-machine.md", async () => {
  const page = await Page.open("docs/outgrowing-one-machine.md");
  const moved = "e2e/outgrowing.e2e.test.ts";
  await page.types(BROKER);
  for (const rest of ["--dry-run\n", "\n", "--groups billing\n"])
    expect(page.leaves("npx minikafka-cli -b 127.0.0.1:9600 export orders --to", moved).endsWith(rest)).toBe(
      true,
    );
  page.leaves("KAFKA=kafka.example:9092 node shop.mjs", moved);
  page.leaves("npx minikafka-cli -b 127.0.0.1:9600 import orders", moved);
  page.ends();
});

/** The page in one of the two profiles: what each block has printed. */
async function inProfile(
  ports: readonly [number, number],
  refused: { readonly [words: string]: number } = {},
): Promise<string[]> {
  const page = await Page.open("docs/profiles.md");
  const said: string[] = [];
  const types = async (beginning: string) => void said.push((await page.types(beginning)).stdout);
  await page.types(BROKER);
  await page.line(`export MINIKAFKA_BROKER=127.0.0.1:${ports[0]}`);
  await types("minikafka-cli topics create tail");
  await types("minikafka-cli topics create kept");
  const waits = page.next(ports[0], "appended", "acks");
  const waiting = page.types("minikafka-cli topics create acks");
  await waits;
  await page.types("minikafka-cli remove-from-isr acks 2", { terminal: "another" });
  await page.line("minikafka-cli step replicate acks", { terminal: "another" });
  said.push((await waiting).stdout);
  await types("minikafka-cli topics create burst");
  const late = await page.types("minikafka-cli topics create dup", { fails: refused });
  said.push(late.stdout + late.stderr);
  await page.types(BROKER);
  await page.line(`export MINIKAFKA_BROKER=127.0.0.1:${ports[1]}`);
  await types("minikafka-cli topics create shared");
  await types(`minikafka-cli raw '{"operation":"heartbeat"`);
  page.ends();
  return said;
}

test("docs/profiles.md: each block differs as the page says", async () => {
  const kafka = await inProfile([9301, 9303]);
  const retry =
    'raw {"operation":"produce","topic":"dup","value_b64":"YQ==","producer_id":0,"producer_epoch":0,"base_sequence":0}';
  const original = await inProfile([9302, 9304], { [retry]: 5 });
  const lastLine = (text = "") => text.trimEnd().split("\n").at(-1);
  const [tail, kept, acks, burst, retried, joined, beaten] = kafka;
  expect([tail, kept, acks].map(lastLine)).toEqual(["paid", "paid", "partition 0, offset 0"]);
  expect(burst).not.toContain("FROM");
  expect(lastLine(retried)).toBe('{"ok":true,"partition":0,"offset":0,"next_offset":1,"duplicate":true}');
  expect(joined).toMatch(
    /"assignment":\[\],"pending":\[\{"topic":"shared","partition":1,.*"state":"reconciling"/s,
  );
  expect(lastLine(beaten)).toMatch(/"assignment":\[\{"topic":"shared","partition":1,.*"partition":3,/);
  const [cut, keptToo, acked, left, refused, given] = original;
  expect(lastLine(cut)).toMatch(/^tail +0 .* 0$/);
  expect([keptToo, acked].map(lastLine)).toEqual(["paid", "partition 0, offset 0"]);
  expect(lastLine(left)).toBe("burst  0          1,2   1");
  expect(lastLine(refused)).toMatch(/"code":"OUT_OF_ORDER_SEQUENCE",.*expected 2 next/);
  expect(given).toMatch(
    /"generation":2,.*"assignment":\[\{"topic":"shared","partition":1,.*"state":"stable"/s,
  );
});

test("docs/stepping.md", async () => {
  const page = await Page.open("docs/stepping.md");
  await page.types(BROKER);
  const looked = await page.types("export MINIKAFKA_BROKER=127.0.0.1:9196");
  expect(looked.stdout).toContain(
    "\nreplicate orders -p 0 --replica 2  broker 2 would copy 1 batch (75 bytes), up to offset 1, hear of high watermark 0, in orders-0\n",
  );
  await page.types("minikafka-cli step replicate orders -p 0 --replica 2");
  await page.types("minikafka-cli clock advance 5s");
  page.ends();
});

test("docs/traces.md", async () => {
  const page = await Page.open("docs/traces.md");
  await page.types(BROKER);
  page.ends();
});

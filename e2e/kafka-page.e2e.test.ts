/** docs/kafka-clients.md, as its reader types it: its programs run, and its commands do what they say. Only ports are others. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { command, output } from "./support/cli.ts";
import { addressesOf, kafkaWorld } from "./support/kafka-world.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const PAGE = readFileSync(new URL("../docs/kafka-clients.md", import.meta.url), "utf8");

function blocksOf(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(
    ([, text = ""]) => text,
  );
}

/** Its commands of minikafka-cli in the part under a heading, each as arguments, without the address. */
function commandsUnder(heading: string): string[][] {
  const [, part = ""] = PAGE.split(`\n## ${heading}\n`);
  const [own = ""] = part.split("\n## ");
  return [...own.matchAll(/^npx minikafka-cli (?:-b \S+ )?(.*)$/gm)].map(([, line = ""]) => line.split(" "));
}

/** A program of the page, with what it says. */
function started(program: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: FOLDER,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, KAFKAJS_NO_PARTITIONER_WARNING: "1" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, nextLine: async () => (await lines.next()).value as string | undefined };
}

const [ORDERS = "", EMBEDDED = ""] = blocksOf("js");
const SAID = "orders-0 0: alice created";

test("the page's program makes a topic, writes and reads, and its commands show the same; broker 1 is stopped and the program goes on", async () => {
  const { daemon } = await kafkaWorld(["--brokers", "3", "--lab"]);
  const places = addressesOf(daemon).map((address) => `"${address}"`);
  const program = ORDERS.replace('"127.0.0.1:9092", "127.0.0.1:9093", "127.0.0.1:9094"', places.join(", "));
  expect(program).not.toBe(ORDERS);
  expect(PAGE).toContain(`prints \`${SAID}\``);
  const orders = started(program);
  expect(await orders.nextLine()).toBe(SAID);
  const [fetch = [], describe = []] = commandsUnder("From an empty folder");
  expect(await output(daemon, fetch)).toContain('"key":"alice","value":"created"');
  expect(await output(daemon, describe)).toContain("billing  orders  0");
  const away = commandsUnder("A broker that is away");
  const back = away.pop() ?? [];
  expect(away.map(([first]) => first)).toEqual(["broker", "topics", "topics"]);
  for (const each of away.slice(0, 2)) await output(daemon, each);
  // The loop of the page, without a process for each turn, for which kafkajs need not wait.
  const rows = (await output(daemon, ["topics", "describe", "-q"])).split("\n").map((row) => row.split(/ +/));
  const leaderless = rows.filter(([, , leader]) => leader === "-");
  expect(leaderless.length).toBeGreaterThan(0);
  for (const [topic = "", partition = ""] of leaderless)
    await output(daemon, ["promote", topic, "2", "-p", partition]);
  await output(daemon, ["produce", "orders", "-p", "0", "-k", "bob", "-v", "created", "-q"]);
  // A consumer that gave up meanwhile reads what it had not committed once more.
  let line = await orders.nextLine();
  while (line === SAID) line = await orders.nextLine();
  expect(line).toBe("orders-0 1: bob created");
  await output(daemon, back);
  const [arm = []] = commandsUnder("Held still, stepped and broken").filter(([first]) => first === "fault");
  await output(daemon, arm);
  orders.child.kill("SIGINT");
  expect(await once(orders.child, "exit")).toEqual([0, null]);
  // One that gave up meanwhile has left its first membership behind, until its session is over.
  await output(daemon, ["groups", "wait", "billing", "--state", "empty", "--timeout", "45s"]);
});

test("the page's program in one process ends by itself, with what it was told of its record", async () => {
  const embedded = started(EMBEDDED);
  const said: string[] = [];
  for (let line = await embedded.nextLine(); line !== undefined; line = await embedded.nextLine())
    said.push(line);
  expect(said.join("\n")).toContain("baseOffset: '0'");
  expect(embedded.child.exitCode ?? (await once(embedded.child, "exit"))[0]).toBe(0);
});

test("with a manual clock kafkajs ends its consumer once the clock is moved, as the page says", async () => {
  const { daemon } = await kafkaWorld(["--clock", "manual"]);
  const idle = ORDERS.replace(
    /const brokers = .*/,
    `const brokers = ${JSON.stringify(addressesOf(daemon))};`,
  ).replace("replicationFactor: 3", "replicationFactor: 1");
  const orders = started(idle);
  expect(await orders.nextLine()).toBe(SAID);
  const [advance = []] = commandsUnder("Held still, stepped and broken");
  expect(advance).toEqual(["clock", "advance", "5s"]);
  while (!(await output(daemon, ["step", "next"])).includes("long_poll"));
  const exited = once(orders.child, "exit");
  orders.child.kill("SIGINT");
  // It may begin another poll before the signal comes to it.
  while (orders.child.exitCode === null) await output(daemon, advance);
  expect(await exited).toEqual([0, null]);
  expect((await command(daemon, ["groups", "describe", "billing", "--state"])).stdout).toContain("empty");
});

import { expect, test } from "vitest";
import { testWorld } from "../test/world.ts";
import { run } from "./run.ts";

async function ran(...argv: string[]) {
  const world = testWorld();
  return { code: await run(argv, world), ...world.said };
}

test.each([
  [["--help"], "Usage: minikafka-cli"],
  [["help", "fetch"], "Usage: minikafka-cli fetch"],
  [["topics", "create", "-h"], "Usage: minikafka-cli topics create"],
  [["-V"], "0."],
])("%j is answered on stdout, because it was asked for", async (argv, beginning) => {
  const { code, stdout, stderr } = await ran(...argv);
  expect(code).toBe(0);
  expect(stdout.startsWith(beginning)).toBe(true);
  expect(stderr).toBe("");
});

test.each([
  [["topics"], "Usage: minikafka-cli topics"],
  [[], "Usage: minikafka-cli"],
])("%j without a command shows what there is, on stderr", async (argv, beginning) => {
  const { code, stdout, stderr } = await ran(...argv);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr.startsWith(beginning)).toBe(true);
});

test.each([
  [["foo"], "unknown command 'foo'"],
  [["tpoics"], "hint: did you mean topics?"],
  [["cluster"], "hint: minikafka-cli describe shows the cluster"],
  [["lag", "--help"], "hint: minikafka-cli groups describe shows how far"],
  [["topics", "add-partitions", "a", "3"], "hint: minikafka-cli topics grow TOPIC N"],
  [["fetch", "orders", "--fail-if-empty"], "--fail-if-empty needs -e"],
  [["consume", "orders", "--fail-if-empty"], "--fail-if-empty needs -e"],
  [["fetch"], "missing required argument 'topic'"],
  [["ping", "extra"], "too many arguments"],
  [["fetch", "orders", "--nope"], "unknown option '--nope'"],
  [["-b", "host:port:more", "ping"], "Expected host:port"],
  [["fetch", "orders", "-p", "-1"], "Expected a whole number from 0."],
  [["fetch", "orders", "-p", "1", "-p", "1"], "It is named twice."],
  [["fetch", "orders", "-o", "middle"], "Expected beginning, end"],
  [["fetch", "orders", "-f", "%y"], "-f: %y has no meaning"],
  [["produce", "orders", "-k", "a", "-K", ":"], "-k and -K exclude each other"],
  [["produce", "orders", "--jsonl", "-v", "x"], "--jsonl and -v exclude each other"],
  [["bench", "produce", "--record-size", "99999999999"], "Expected a whole number from 1 to 2097152."],
  [["bench", "fetch", "--record-size", "2097153"], "Expected a whole number from 1 to 2097152."],
  [["produce", "orders", "--acks", "2"], "Expected 0, 1 or all."],
  [["produce", "orders", "--idempotent", "--acks", "1"], "--idempotent and --acks 1 exclude each other"],
  [["produce", "orders", "--name", "p"], "--name needs --idempotent"],
  [["topic", "alter", "orders", "--nope"], "hint: minikafka-cli topics alter --help shows what it takes"],
  [["topics", "alter", "orders"], "hint: minikafka-cli topics alter --help shows what it takes"],
  [["brokers", "--help"], "unknown command 'brokers'"],
  [["help", "nope"], "unknown command 'nope'"],
  [["groups", "help", "nope"], "unknown command 'nope'"],
  [["consume", "orders", "-p", "1"], "hint: minikafka-cli fetch TOPIC -p N"],
  [["consume", "orders", "--partition=1"], "hint: minikafka-cli fetch TOPIC -p N"],
  [["fetch", "orders", "--group", "g"], "hint: minikafka-cli consume TOPIC -g GROUP"],
  [["groups", "reset", "a"], "expected one of --to-earliest"],
  [["groups", "seek", "a", "--to-beginning", "--to-end"], "expected one of --to-earliest"],
  [["topics", "offsets", "a", "--at", "-5"], "Expected beginning or earliest, end or latest, or @ms"],
  [["topics", "grow", "a"], "expected the number of partitions once"],
  [["topics", "grow", "a", "3", "-p", "3"], "expected the number of partitions once"],
  [["topics", "crate", "-h"], "hint: did you mean create?"],
  [["clock", "set", "5"], "unknown command 'set'"],
  [["clock", "advnce", "5s"], "hint: did you mean advance?"],
  [["clock", "advnce", "--to-next-deadline"], "hint: did you mean advance?"],
  [["clock", "show", "now"], "too many arguments for 'show'"],
  [["describe", "-p", "1"], "-p needs a topic"],
  [["topics", "delete", "a", "a"], "a topic is named twice"],
  [["groups", "delete", "a", "a"], "a group is named twice"],
  [["groups", "describe", "a", "--members", "--state"], "--members and --state exclude each other"],
  [["groups", "seek", "a"], "expected one of --to-earliest"],
  [["groups", "seek", "a", "--to-latest", "--shift-by", "1"], "expected one of --to-earliest"],
  [["groups", "seek", "a", "--shift-by", "few"], "Expected a whole number, such as -10."],
  [
    ["groups", "wait", "a", "--state", "dead"],
    "Allowed choices are stable, reconciling, preparing_rebalance, completing_rebalance, empty.",
  ],
  [["offsets", "commit", "a"], "missing required argument"],
  [["offsets", "commit", "a", "orders=1"], "Expected TOPIC:PARTITION=OFFSET"],
  [["consume", "a", "a"], "a topic is named twice"],
  [["consume", "a", "--no-commit"], "--no-commit needs -g"],
  [["consume", "a", "--assignor", "range"], "--assignor needs -g"],
  [["consume", "a", "-g", "g", "--assignor", "fair"], "Allowed choices are roundrobin, range, sticky."],
  [["consume", "a", "-o", "5"], "Expected earliest or latest"],
  [["consume", "a", "-f", "%y"], "-f: %y has no meaning"],
  [["ping", "--timeout", "5"], "Expected a number and its unit"],
  [["ping", "--timeout", "0s"], "Expected 1ms to 24h."],
  [["ping", "--timeout", "1000h"], "Expected 1ms to 24h."],
])("%j is refused without asking a broker, with a reason and a hint", async (argv, reason) => {
  const { code, stdout, stderr } = await ran(...argv);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^error: USAGE: .*\nhint: .*\n$/);
  expect(stderr).toContain(reason);
});

test.each(["preparing_rebalance", "preparing-rebalance"])("a state is taken as %s", async (state) => {
  // Nobody answers there; a state that there is not would have been told of before.
  expect((await ran("-b", "127.0.0.1:1", "groups", "wait", "a", "--state", state)).code).toBe(7);
});

test("bad usage is an object on stderr for those who asked for JSON, wherever -J stands", async () => {
  for (const argv of [
    ["-J", "topics", "crate"],
    ["topics", "crate", "-J"],
    ["topics", "-J", "crate"],
  ]) {
    const { code, stderr } = await ran(...argv);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "USAGE", retriable: false, hint: "did you mean create?" },
    });
  }
});

test("the version is a document for those who asked for JSON, by -V and by its command", async () => {
  const { stdout: version } = await ran("-V");
  for (const argv of [
    ["-V", "-J"],
    ["-J", "-V"],
    ["version", "-J"],
  ])
    expect(JSON.parse((await ran(...argv)).stdout)).toEqual({
      name: "minikafka-cli",
      version: version.trimEnd(),
      node: process.versions.node,
    });
  expect((await ran("version")).stdout).toBe(version);
});

test("-q leaves the error and drops the hint", async () => {
  const { code, stderr } = await ran("-q", "foo");
  expect(code).toBe(2);
  expect(stderr).toBe("error: USAGE: unknown command 'foo'\n");
});

test("the variable for the broker is checked as the option is", async () => {
  const world = testWorld({ env: { MINIKAFKA_BROKER: "no port:here" } });
  expect(await run(["ping"], world)).toBe(2);
  expect(world.said.stderr).toContain('MINIKAFKA_BROKER is "no port:here". Expected host:port');
});

test("a format for JSON is refused in JSON", async () => {
  const { code, stderr } = await ran("fetch", "orders", "-J", "-f", "%v");
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: "-J and -f exclude each other" } });
});

/** What is pending and when time brings more, on the command line and by SDK, over a daemon with a manual clock. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const START_MS = 1_700_000_000_000;
const MANUAL = ["--clock", "manual", "--start-time", `${START_MS}`, "--log-level", "fatal"];

async function stepped(arguments_: readonly string[] = []): Promise<Daemon> {
  const broker = await startDaemon(temporaryFolder(), [...MANUAL, "--brokers", "3", ...arguments_]);
  await output(broker, ["topics", "create", "orders", "-r", "3"]);
  await output(broker, ["step", "until-quiet"]);
  return broker;
}

async function clientOf(broker: Daemon) {
  const client = await connect({ port: broker.port });
  onTestFinished(() => client.close());
  return client;
}

test("step next shows each step as one would type it, and what it would do; step until-quiet takes them all", async () => {
  const broker = await stepped();
  expect(await command(broker, ["step", "next"])).toEqual({
    code: 0,
    stdout: "",
    stderr: "% no step would do anything now\n",
  });
  await output(broker, ["produce", "orders", "-v", "paid"]);
  const [header = "", ...rows] = (await output(broker, ["step", "next", "orders"])).split("\n");
  expect(header).toMatch(/^STEP +WOULD$/);
  const would = (id: number) =>
    new RegExp(
      `^replicate orders -p 0 --replica ${id}  broker ${id} would copy 1 batch \\(\\d+ bytes\\), up to offset 1, hear of high watermark 0, in orders-0$`,
    );
  expect(rows[0]).toMatch(would(2));
  expect(rows[1]).toMatch(would(3));
  await output(broker, ["step", "replicate", "orders", "-p", "0", "--replica", "2"]);
  const [next] = jsonLines(await output(broker, ["step", "next", "-J"]));
  expect(next).toMatchObject({ now_ms: START_MS, steps: [{ fields: { broker_id: 3 } }, {}] });
  const taken = await output(broker, ["step", "until-quiet"]);
  expect(taken).toMatch(/^STEP +OUTCOME +DID\nreplicate orders -p 0 --replica 3 +done +1 batch, \d+ bytes\n/);
  expect(taken).toMatch(/\nflush +done +\d+ bytes of \d+ logs? are durable.*\n/);
  const values = jsonLines(
    await output(broker, ["fetch", "orders", "-p", "0", "-o", "beginning", "-e", "-J"]),
  );
  expect(values).toMatchObject([{ value: "paid" }]);
});

test("clock advance --to-next-deadline stops where time brings something, which is then pending", async () => {
  const broker = await stepped();
  const client = await clientOf(broker);
  await client.stepper().runUntilQuiet();
  const consumer = client.consumer({ groupId: "billing", memberId: "a", sessionTimeoutMs: 6000 });
  const joined = consumer.subscribe(["orders"]);
  const stepper = (await clientOf(broker)).stepper();
  await expect.poll(async () => (await stepper.next()).steps.length).toBeGreaterThan(0);
  await stepper.runUntilQuiet();
  await joined;
  expect(await stepper.clock()).toBe(START_MS);
  expect(await command(broker, ["step", "next"])).toMatchObject({
    stdout: expect.stringMatching(
      /^AFTER +COMES +OF +FOR\n6s +session_timeout +a of billing +expire-members\n/,
    ),
  });
  const moved = await output(broker, ["clock", "advance", "--to-next-deadline"]);
  expect(moved).toContain(`${START_MS + 6000}  session_timeout of a of billing, 6s on`);
  expect(await output(broker, ["step", "next"])).toContain("it would expire a of billing (session_timeout)");
  expect(await output(broker, ["step", "until-quiet"])).toMatch(/expire-members +done +a of billing\n/);
  for (const wrong of [[], ["5s", "--to-next-deadline"], ["40000d"]])
    expect(await command(broker, ["clock", "advance", ...wrong])).toMatchObject({ code: 2 });
  const farther = await output(broker, ["clock", "advance", "400d", "-J"]);
  expect(jsonLines(farther)).toEqual([{ now_ms: START_MS + 6000 + 400 * 86_400_000 }]);
});

test("what cannot come to rest ends with exit code 5, and says why", async () => {
  const broker = await stepped();
  await output(broker, ["produce", "orders", "-v", "paid"]);
  const ended = await command(broker, ["step", "until-quiet", "--max-steps", "1"]);
  expect(ended).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /^error: NOT_QUIET: more steps are pending after the 1 that were taken\nhint: .*--max-steps/,
    ),
  });
  expect(await command(broker, ["step", "until-quiet"])).toMatchObject({ code: 0, stderr: "" });
});

test("until-quiet ends with exit code 5 where a flush failed, and goes on to until the broker is started anew", async () => {
  const broker = await startDaemon(temporaryFolder(), MANUAL);
  await output(broker, ["topics", "create", "orders"]);
  await output(broker, ["step", "until-quiet"]);
  await output(broker, ["produce", "orders", "-v", "paid"]);
  await output(broker, ["fault", "arm", "log.flush.before_sync", "error"]);
  expect(await command(broker, ["step", "until-quiet"])).toMatchObject({
    code: 5,
    stdout: expect.stringMatching(/\nflush +failed +BROKER_FAILED: /),
    stderr: expect.stringMatching(
      /NOT_QUIET: flush_logs failed: .*; broker 1 has failed.*\nhint: .*broker stop/,
    ),
  });
  const again = await command(broker, ["step", "until-quiet", "-J"]);
  expect(again.code).toBe(5);
  expect(jsonLines(again.stdout)).toMatchObject([
    { steps: [], quiet: false, unquiet: [{ what: "broker_failed", broker_id: 1 }] },
  ]);
});

test("until-quiet names the producer that waits for a stopped broker, and so does step next", async () => {
  const broker = await stepped();
  await output(broker, ["broker", "stop", "3"]);
  const client = await clientOf(broker);
  const { deadlines: before } = await client.stepper().next();
  const sent = client.call("produce", { topic: "orders", partition: 0, value_b64: "cGFpZA==", acks: "all" });
  await expect
    .poll(async () => (await client.stepper().next()).deadlines.length)
    .toBeGreaterThan(before.length);
  expect(await command(broker, ["step", "until-quiet"])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("produce of orders-0 waits for broker 3, which is in sync and stopped"),
  });
  expect(await output(broker, ["step", "next"])).toMatch(/\n30s +answer +produce of orders-0 +-\n/);
  await output(broker, ["broker", "start", "3"]);
  await output(broker, ["step", "until-quiet"]);
  expect(await sent).toMatchObject({ offset: 0 });
});

test("where time alone brings nothing, clock advance says whether steps do", async () => {
  const broker = await startDaemon(temporaryFolder(), [...MANUAL, "--brokers", "2"]);
  const advance = () => command(broker, ["clock", "advance", "--to-next-deadline"]);
  expect(await advance()).toMatchObject({ code: 3, stderr: expect.stringContaining("no step is pending") });
  await output(broker, ["topics", "create", "orders", "-r", "2"]);
  expect((await advance()).stdout).toContain("replica_lag_time of orders-0 on 2, 10.001s on");
  expect(await advance()).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("hint: steps are pending"),
  });
});

test("clock advance --to-next-deadline reaches a deadline that is years away", async () => {
  const broker = await startDaemon(temporaryFolder(), MANUAL);
  await output(broker, ["topics", "create", "orders", "--config", "retention_ms=1000"]);
  const timestampMs = START_MS + 3 * 366 * 24 * 3_600_000;
  const client = await clientOf(broker);
  await client.call("produce", {
    topic: "orders",
    partition: 0,
    records: [{ value_b64: "cGFpZA==", timestamp_ms: timestampMs }],
  });
  await output(broker, ["step", "until-quiet"]);
  const [next] = jsonLines(await output(broker, ["step", "next", "-J"])) as [
    { deadlines: { due_at_ms: number }[] },
  ];
  const [first] = next.deadlines;
  expect(first?.due_at_ms).toBeGreaterThan(START_MS + 3 * 366 * 24 * 3_600_000);
  expect(await output(broker, ["step", "next"])).toMatch(/\n1098d1(?:\.001)?s +retention/);
  const [moved] = jsonLines(await output(broker, ["clock", "advance", "--to-next-deadline", "-J"]));
  expect(moved).toMatchObject({ now_ms: first?.due_at_ms, deadline: { what: "retention" } });
});

test("the refusal of a held folder tells since when its process runs, whatever the stepped clock says", async () => {
  const data = temporaryFolder();
  const beforeMs = Date.now() - 1000;
  await startDaemon(data, MANUAL);
  const lock = JSON.parse(readFileSync(join(data, "lock"), "utf8")) as { started_at: number };
  expect(lock.started_at).toBeGreaterThan(beforeMs);
  expect(lock.started_at).toBeLessThanOrEqual(Date.now() + 1000);
});

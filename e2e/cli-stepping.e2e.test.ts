/** What is pending and when time brings more, on the command line and by SDK, over a daemon with a manual clock. */
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
  expect(taken).toMatch(
    /^STEP +OUTCOME +DID\nreplicate orders -p 0 --replica 3 +done +1 batches, \d+ bytes\n/,
  );
  expect(taken).toMatch(/\nflush +done +all logs are durable\n/);
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
  for (const wrong of [[], ["5s", "--to-next-deadline"]])
    expect(await command(broker, ["clock", "advance", ...wrong])).toMatchObject({ code: 2 });
});

test("what cannot come to rest ends with exit code 5, and says why", async () => {
  const broker = await stepped();
  await output(broker, ["produce", "orders", "-v", "paid"]);
  const ended = await command(broker, ["step", "until-quiet", "--max-steps", "1"]);
  expect(ended).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /^error: NOT_QUIET: something is still pending after 1 steps\nhint: .*step next/,
    ),
  });
  expect(await command(broker, ["step", "until-quiet"])).toMatchObject({ code: 0, stderr: "" });
});

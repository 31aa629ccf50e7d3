/** Watching a real daemon: by the command line, by the SDK, and by a client that does not read. */
import { once } from "node:events";
import { connect, type EventKind } from "@minikafka/client";
import { expect, test } from "vitest";
import { command, jsonLines, output, type RunningCommand, startCommand } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";
import { RawSession } from "./support/raw-session.ts";

function daemon(...arguments_: string[]): Promise<Daemon> {
  return startDaemon(temporaryFolder(), ["--log-level", "warn", "--brokers", "3", ...arguments_]);
}

/** A watch that has begun. */
async function startWatch(broker: Daemon, ...arguments_: string[]): Promise<RunningCommand> {
  const watch = startCommand(broker, ["watch", ...arguments_]);
  const [remark] = await once(watch.process.stderr, "data");
  expect(remark).toBe("% watching; Ctrl-C ends it\n");
  return watch;
}

/** Makes something happen until the watch has ended because of it. */
async function untilEnded(watch: RunningCommand, happen: () => Promise<unknown>): Promise<void> {
  const ended = { yet: false };
  void watch.ended.then(() => {
    ended.yet = true;
  });
  while (!ended.yet) await happen();
}

test("a partition's life on three brokers, as its watcher sees it; Ctrl-C ends that with 0", async () => {
  const broker = await daemon("--clock", "manual");
  await output(broker, ["topics", "create", "orders", "-r", "3"]);
  await output(broker, ["topics", "create", "others"]);
  const kinds = ["isr_changed", "high_watermark_moved", "leader_changed", "replicated", "truncated"];
  const watch = await startWatch(broker, "orders", ...kinds.flatMap((kind) => ["-k", kind]));
  const line = async () => (await watch.nextLine()).replace(/^\d+ 1970-01-01T00:00:00\.000Z /, "");
  await output(broker, ["produce", "others", "-v", "not told"]);
  await output(broker, ["produce", "orders", "-v", "a"]);
  await output(broker, ["step", "replicate"]);
  expect(await line()).toMatch(
    /^replicated orders\[0\]@2 leader_id=1 from_offset=0 log_end_offset=1 high_watermark=0 batches=1 bytes=\d+$/,
  );
  expect(await line()).toMatch(/^replicated orders\[0\]@3 /);
  expect(await line()).toBe(
    "high_watermark_moved orders[0]@1 from=0 to=1 log_end_offset=1 in_sync_replicas=1,2,3",
  );
  await output(broker, ["remove-from-isr", "orders", "3"]);
  expect(await line()).toMatch(/^isr_changed orders\[0\] from=1,2,3 to=1,2 leader_epoch=0 high_watermark=1 /);
  await output(broker, ["produce", "orders", "-v", "on the leader alone"]);
  await output(broker, ["promote", "orders", "2"]);
  expect(await line()).toMatch(/^leader_changed orders\[0\] from=1 leader_id=2 leader_epoch=1 /);
  await output(broker, ["produce", "orders", "-v", "c"]);
  await output(broker, ["rejoin", "orders", "1"]);
  let next = await line();
  while (!next.startsWith("truncated")) next = await line();
  expect(next).toMatch(/^truncated orders\[0\]@1 from_offset=2 log_end_offset=1 cut_bytes=\d+$/);
  watch.process.kill("SIGINT");
  expect(await watch.ended).toMatchObject({ code: 0 });
});

test("a watch pipes: JSON lines for machines, a count that ends it, a reader that goes away", async () => {
  const broker = await daemon();
  await output(broker, ["topics", "create", "orders", "-r", "1"]);
  const counted = await startWatch(broker, "-k", "appended", "-n", "2");
  const left = await startWatch(broker, "-k", "appended");
  const client = await connect({ broker: `127.0.0.1:${broker.port}` });
  const events = client.stepper().events({ kinds: ["appended"] });
  await events.open();
  await output(broker, ["produce", "orders"], "a\nb\n");
  await output(broker, ["produce", "orders", "-v", "c"]);
  const { code, stdout } = await counted.ended;
  expect({ code, lines: stdout.split("\n").length - 1 }).toEqual({ code: 0, lines: 2 });
  const { value: first } = await events.next();
  expect(stdout).toContain(
    `${first?.number} ${new Date(first?.timeMs ?? 0).toISOString()} appended orders[0]@`,
  );
  await client.close();
  await left.nextLine();
  left.process.stdout.destroy();
  // A pipe's end is seen when it is written to.
  await untilEnded(left, () => output(broker, ["produce", "orders", "-v", "d"]));
  expect(await left.ended).toMatchObject({ code: 0 });
  const machine = startCommand(broker, ["watch", "-k", "appended", "-n", "1", "-J"]);
  // With -J there is no remark that it has begun.
  await untilEnded(machine, () => output(broker, ["produce", "orders", "-v", "x"]));
  expect(await machine.ended).toMatchObject({ code: 0, stderr: "" });
  expect(jsonLines((await machine.ended).stdout)).toMatchObject([
    { kind: "appended", topic: "orders", partition: 0, base_offset: expect.any(Number) },
  ]);
});

test("a wrong kind is refused with all that there are; a daemon that ends ends the watch with an error", async () => {
  const broker = await daemon();
  const refused = await command(broker, ["watch", "-k", "nonsense"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain('"isr_changed"');
  const watch = await startWatch(broker, "-k", "appended");
  const client = await connect({ broker: `127.0.0.1:${broker.port}` });
  const events = client.stepper().events({ kinds: ["appended"] });
  await events.open();
  const lost = events.next().catch((error: unknown) => error);
  await broker.end("SIGTERM");
  expect(await lost).toMatchObject({ code: "CONNECTION" });
  await client.close();
  const { code, stderr } = await watch.ended;
  expect(stderr).toMatch(/^error: CONNECTION: .*closed by the other end/m);
  expect(code).toBe(7);
});

test("watchers that never read slow no producer, and one that reads again is told what it missed", async () => {
  const broker = await daemon();
  // Two long events for each batch, so that few batches fill what the system keeps for a connection that is not read.
  const topic = "o".repeat(249);
  const kinds: EventKind[] = ["appended", "high_watermark_moved"];
  await output(broker, ["topics", "create", topic, "-p", "1", "-r", "1"]);
  const watchers = [];
  for (let index = 0; index < 3; index += 1) {
    const watcher = await RawSession.open(broker.port);
    expect(await watcher.ask({ operation: "watch", kinds })).toEqual({ ok: true });
    watcher.socket.pause();
    watchers.push(watcher);
  }
  const client = await connect({ broker: `127.0.0.1:${broker.port}` });
  const producer = client.producer({ lingerMs: 0, batchBytes: 1 });
  const BATCHES = 12_000;
  let sent: Promise<unknown>[] = [];
  for (let n = 0; n < BATCHES; n += 1) {
    sent.push(producer.send({ topic, partition: 0, value: "x" }));
    if (sent.length === 500) {
      await Promise.all(sent);
      sent = [];
    }
  }
  await client.close();
  const [watcher] = watchers;
  let told = 0;
  let drops = 0;
  for (watcher?.socket.resume(); told < kinds.length * BATCHES; ) {
    const event = (await watcher?.answer())?.event as { kind: string; count: number };
    told += event.kind === "events_dropped" ? event.count : 1;
    if (event.kind === "events_dropped") drops += event.count;
  }
  expect(told).toBe(kinds.length * BATCHES);
  expect(drops).toBeGreaterThan(0);
});

test("requests are watched as they come, by the command line and by the SDK", async () => {
  const broker = await daemon("--clock", "manual");
  const watch = await startWatch(broker, "--requests", "-k", "appended", "-n", "6");
  const client = await connect({ broker: `127.0.0.1:${broker.port}` });
  const events = client.stepper().events({ kinds: ["request_done"] });
  await events.open();
  const session = await RawSession.open(broker.port);
  const create = { operation: "create_topic", topic: "orders", partitions: 1, replication_factor: 1 };
  expect(await session.ask(create)).toMatchObject({ ok: true });
  expect(await session.ask({ ...create, id: "again" })).toMatchObject({ code: "TOPIC_ALREADY_EXISTS" });
  expect(await session.ask({ operation: "produce", topic: "orders", partition: 0 })).toMatchObject({
    ok: true,
  });
  const shown = (await watch.ended).stdout.split("\n").filter((line) => !line.includes("operation=watch"));
  const told = shown.map((line) => line.replace(/^\d+ \S+ /, "").replace(/connection=\d+/, "connection=C"));
  expect(told.slice(0, 3)).toEqual([
    expect.stringMatching(/^request_taken orders request=\d+ connection=C operation=create_topic id=-$/),
    expect.stringMatching(
      /^request_done orders request=\d+ connection=C operation=create_topic id=- outcome=ok /,
    ),
    expect.stringMatching(/^request_taken orders request=\d+ connection=C operation=create_topic id=again$/),
  ]);
  const outcomes: unknown[] = [];
  for await (const event of events) {
    if (event.kind !== "request_done") throw new Error(`${event.kind} was not asked for`);
    outcomes.push([event.operation, event.id, event.outcome, event.topic]);
    if (event.operation === "produce") break;
  }
  expect(outcomes).toEqual([
    ["create_topic", null, "ok", "orders"],
    ["create_topic", "again", "TOPIC_ALREADY_EXISTS", "orders"],
    ["produce", null, "ok", "orders"],
  ]);
  await client.close();
});

test("a kind that is nearly one is refused with what it nearly is", async () => {
  const broker = await daemon();
  expect(await command(broker, ["watch", "-k", "isr_chnaged"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: INVALID_REQUEST: there is no kind of event isr_chnaged\n" +
      "hint: did you mean isr_changed? docs/reference/protocol.md lists the kinds\n",
  });
});

test("a topic that is not there yet is said to be so, and is watched all the same", async () => {
  const broker = await daemon();
  const watch = startCommand(broker, ["watch", "later", "-n", "1"]);
  const [remark] = await once(watch.process.stderr, "data");
  expect(remark).toContain("% there is no topic later yet");
  await output(broker, ["topics", "create", "later"]);
  await output(broker, ["produce", "later", "-v", "a"]);
  expect(await watch.ended).toMatchObject({ code: 0, stdout: expect.stringContaining(" later") });
});

/** `consume` as people run it: several processes that share a group, that are stopped, killed, and read through pipes. */
import { expect, test } from "vitest";
import { command, jsonLines, output, type RunningCommand, startCommand } from "./support/cli.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };
const QUIET = ["--log-level", "warn"];

async function withOrders(partitions: number): Promise<Daemon> {
  const broker = await startDaemon(temporaryFolder(), QUIET);
  await output(broker, ["topics", "create", "orders", "-p", `${partitions}`]);
  return broker;
}

/** One record in each of four partitions. */
function produceRound(broker: Daemon, round: string): Promise<string> {
  const lines = [0, 1, 2, 3].map((partition) => JSON.stringify({ partition, value: `${round}${partition}` }));
  return output(broker, ["produce", "orders", "--jsonl", "-q"], `${lines.join("\n")}\n`);
}

async function linesOf(running: RunningCommand, count: number): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < count) lines.push(await running.nextLine());
  return lines.sort();
}

/** Reads on until all of `lines` have come. */
async function linesUntil(running: RunningCommand, lines: readonly string[]): Promise<void> {
  const missing = new Set(lines);
  while (missing.size > 0) missing.delete(await running.nextLine());
}

function member(broker: Daemon, name: string): RunningCommand {
  return startCommand(broker, [
    ...["consume", "orders", "-g", "billing", "--member", name, "--session-timeout", "3s"],
  ]);
}

function stableWith(broker: Daemon, members: number): Promise<string> {
  return output(broker, ["groups", "wait", "billing", "--members", `${members}`, "--state", "stable"]);
}

/** What the group has committed of partition 0. */
async function committed(broker: Daemon, group: string): Promise<unknown> {
  const [document] = jsonLines(await output(broker, ["offsets", "get", group, "orders:0", "-J"]));
  return (document as { offsets: { offset: number }[] }).offsets[0]?.offset;
}

test("two consume processes share a group, and when one is killed the other reads all", MINUTE, async () => {
  const broker = await withOrders(4);
  const [one, two] = [member(broker, "a"), member(broker, "b")];
  await stableWith(broker, 2);
  await produceRound(broker, "first");
  expect(await linesOf(one, 2)).toEqual(["first0", "first2"]);
  expect(await linesOf(two, 2)).toEqual(["first1", "first3"]);
  const table = await output(broker, ["groups", "describe", "billing"]);
  expect(table.match(/ [ab]$/gm)).toEqual([" a", " b", " a", " b"]);

  two.process.kill("SIGKILL");
  await stableWith(broker, 1);
  expect(await output(broker, ["groups", "describe", "billing", "--state"])).toContain(
    'the member "b" was silent for its session timeout, 3000 ms',
  );
  await produceRound(broker, "second");
  // What b had printed and not committed comes again.
  await linesUntil(one, ["second0", "second1", "second2", "second3"]);
  one.process.kill("SIGINT");
  expect(await one.ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("this member now also reads orders(1,3)\n"),
  });
});

test(
  "Ctrl-C commits what was printed and leaves, so that nothing comes twice and nobody waits",
  MINUTE,
  async () => {
    const broker = await withOrders(1);
    await output(broker, ["produce", "orders", "-q"], "1\n2\n");
    const consume = startCommand(broker, ["consume", "orders", "-g", "billing"]);
    await linesOf(consume, 2);
    consume.process.kill("SIGINT");
    const { code, stderr } = await consume.ended;
    expect(code).toBe(130);
    expect(stderr).toBe(
      "% generation 1: this member reads orders(0)\n% generation 1: this member lets go of orders(0)\n",
    );
    const [described] = jsonLines(await output(broker, ["groups", "describe", "billing", "-J"]));
    expect(described).toMatchObject({
      groups: [
        {
          state: "empty",
          last_rebalance: { reason: expect.stringMatching(/ left$/) },
          partitions: [{ topic: "orders", partition: 0, committed_offset: 2, end_offset: 2, lag: 0 }],
        },
      ],
    });
    await output(broker, ["produce", "orders", "-q"], "3\n");
    expect(await output(broker, ["consume", "orders", "-g", "billing", "-e"])).toBe("3\n");
  },
);

test("-n commits exactly what it printed, and --no-commit nothing", MINUTE, async () => {
  const broker = await withOrders(1);
  await output(broker, ["produce", "orders", "-q"], "1\n2\n3\n4\n5\n");
  const consume = ["consume", "orders", "-g", "billing"];
  expect(await output(broker, [...consume, "-n", "2"])).toBe("1\n2\n");
  expect(await committed(broker, "billing")).toBe(2);
  expect(await output(broker, [...consume, "-n", "2", "--no-commit"])).toBe("3\n4\n");
  expect(await committed(broker, "billing")).toBe(2);
  const [record] = jsonLines(await output(broker, [...consume, "-n", "1", "-J"]));
  expect(record).toMatchObject({ topic: "orders", partition: 0, offset: 2, value: "3", key: null });
  expect(await output(broker, [...consume, "-e", "-f", "%o\\n"])).toBe("3\n4\n");
  expect(await output(broker, ["consume", "orders", "-g", "late", "-o", "latest", "-e"])).toBe("");
  expect(await committed(broker, "late")).toBe(5);
});

test(
  "an offset past the end is neither drained nor read: -e goes on until the reset is read",
  MINUTE,
  async () => {
    const broker = await withOrders(1);
    await output(broker, ["produce", "orders", "-q"], "1\n2\n");
    await output(broker, ["offsets", "commit", "billing", "orders:0=5000"]);
    expect(await command(broker, ["groups", "describe", "billing"])).toMatchObject({
      stdout: expect.stringMatching(/^billing +orders +0 +5000 +2 +- +-$/m),
      stderr: expect.stringContaining(
        "% orders [0]: what is committed, 5000, lies past the end, 2: the next read resets\n",
      ),
    });
    const drained = ["groups", "wait", "billing", "--drained", "--timeout", "1ms"];
    expect(await command(broker, drained)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(
        "orders [0] ends at 2 and 5000 is committed, so that the next read resets",
      ),
    });
    expect((await command(broker, drained)).stderr).toContain(
      `the group billing at 127.0.0.1:${broker.port} is not`,
    );
    expect(await output(broker, ["consume", "orders", "-g", "billing", "-e"])).toBe("1\n2\n");
    expect(await committed(broker, "billing")).toBe(2);
    expect(await command(broker, drained)).toMatchObject({ code: 0 });
  },
);

test("without a group consume reads from now on, of several topics, and knows no group", MINUTE, async () => {
  const broker = await withOrders(2);
  await output(broker, ["topics", "create", "logs"]);
  await output(broker, ["produce", "orders", "-p", "1", "-v", "before"]);
  expect(await command(broker, ["consume", "orders", "logs", "-e"])).toEqual({
    code: 0,
    stdout: "",
    stderr:
      "% reached the end of orders, logs: 0 records; without -g it begins there, and -o earliest reads what is before it\n",
  });
  expect(await output(broker, ["consume", "orders", "logs", "-e", "-o", "earliest"])).toBe("before\n");
  const consume = startCommand(broker, ["consume", "orders", "logs", "-n", "2", "-f", "%t %v\\n"]);
  // It has begun once it prints; until then what is produced may be before its beginning.
  const first = consume.nextLine();
  let hasBegun = false;
  void first.then(() => {
    hasBegun = true;
  });
  while (!hasBegun) await output(broker, ["produce", "logs", "-q", "-v", "now"]);
  expect(await first).toBe("logs now");
  await output(broker, ["produce", "logs", "-q", "-v", "now"]);
  expect(await consume.ended).toMatchObject({ code: 0 });
  expect(await output(broker, ["groups", "list"])).toBe("");
});

test("a reader that has seen enough ends it silently with 0, and the group is left", MINUTE, async () => {
  const broker = await withOrders(1);
  await output(broker, ["produce", "orders", "-q"], `${"x".repeat(100)}\n`.repeat(20_000));
  const consume = startCommand(broker, ["consume", "orders", "-g", "billing", "-q"]);
  await consume.nextLine();
  consume.process.stdout.destroy();
  expect(await consume.ended).toMatchObject({ code: 0, stderr: "" });
  await output(broker, ["groups", "wait", "billing", "--state", "empty"]);
});

test(
  "a daemon that is killed and started again finds the group as it was, and consume goes on",
  MINUTE,
  async () => {
    const broker = await withOrders(1);
    const proxy = await CuttingProxy.open(() => 0);
    proxy.isCutting = false;
    proxy.target = broker.port;
    const consume = startCommand(proxy, ["consume", "orders", "-g", "billing", "--member", "a"]);
    await output(broker, ["produce", "orders", "-q"], "1\n");
    expect(await consume.nextLine()).toBe("1");
    await broker.end("SIGKILL");
    const again = await startDaemon(broker.data, QUIET);
    proxy.target = again.port;
    await output(again, ["produce", "orders", "-q"], "2\n");
    await linesUntil(consume, ["2"]);
    const [described] = jsonLines(await output(again, ["groups", "describe", "billing", "-J"]));
    expect(described).toMatchObject({ groups: [{ generation: 1, members: [{ member_id: "a" }] }] });
    consume.process.kill("SIGINT");
    expect(await consume.ended).toMatchObject({ code: 130 });
    expect(await committed(again, "billing")).toBe(2);
  },
);

test(
  "Ctrl-C ends it also while the broker is gone, and says that the last records may come again",
  MINUTE,
  async () => {
    const broker = await withOrders(1);
    await output(broker, ["produce", "orders", "-q"], "1\n");
    const consume = startCommand(broker, ["consume", "orders", "-g", "billing"]);
    await consume.nextLine();
    await broker.end("SIGKILL");
    consume.process.kill("SIGINT");
    const { code, stderr } = await consume.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /^% the last records were not committed \(.*; of orders\(0\)\) and may come again$/m,
    );
  },
);

test(
  "a topic that is not there, and an assignor that the others don't have, are told at once",
  MINUTE,
  async () => {
    const broker = await withOrders(1);
    expect(await command(broker, ["consume", "nope", "-g", "billing"])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^error: UNKNOWN_TOPIC.*\nhint: .*topics create nope/),
    });
    for (const words of [
      ["consume", "oders", "-e"],
      ["produce", "oders", "-v", "x"],
      ["topics", "delete", "oders"],
    ])
      expect(await command(broker, words), words.join(" ")).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^error: UNKNOWN_TOPIC.*\nhint: did you mean orders\?/),
      });
    const first = startCommand(broker, ["consume", "orders", "-g", "billing"]);
    await stableWith(broker, 1);
    expect(
      await command(broker, ["consume", "orders", "-g", "billing", "--assignor", "range"]),
    ).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^error: INCONSISTENT_GROUP_PROTOCOL.*\nhint: .*describe billing --state/,
      ),
    });
    first.process.kill("SIGINT");
    expect(await first.ended).toMatchObject({ code: 130 });
  },
);

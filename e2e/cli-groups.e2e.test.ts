/** Groups and their offsets by the command line: described, moved, waited for, deleted. */
import { once } from "node:events";
import { expect, test } from "vitest";
import { command, jsonLines, output, processOf, startCommand } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };
const QUIET = ["--log-level", "warn"];

/** Two partitions of `orders`, with so many records in each, of the times 1000, 2000, … */
async function withOrders(records: readonly [number, number], ...arguments_: string[]): Promise<Daemon> {
  const broker = await startDaemon(temporaryFolder(), [...QUIET, ...arguments_]);
  await output(broker, ["topics", "create", "orders", "-p", "2"]);
  const lines = records.flatMap((count, partition) =>
    Array.from({ length: count }, (_none, n) =>
      JSON.stringify({ partition, timestamp: (n + 1) * 1000, value: `${partition}-${n}` }),
    ),
  );
  if (lines.length > 0) await output(broker, ["produce", "orders", "--jsonl", "-q"], `${lines.join("\n")}\n`);
  return broker;
}

/** What the group has committed, by partition of `orders`. */
async function offsetsOf(broker: Daemon, group: string): Promise<unknown[][]> {
  const [document] = jsonLines(await output(broker, ["offsets", "get", group, "-J"]));
  const { offsets } = document as { offsets: { partition: number; offset: number }[] };
  return offsets.map(({ partition, offset }) => [partition, offset]);
}

const words = (text: string) => text.split("\n").map((line) => line.split(/ +/));

test(
  "a group's offsets stand in the columns of kafka-consumer-groups, and survive kill -9",
  MINUTE,
  async () => {
    const broker = await withOrders([3, 2]);
    const consumed = await output(broker, ["consume", "orders", "-g", "billing", "-e"]);
    expect(consumed.split("\n").sort()).toEqual(["", "0-0", "0-1", "0-2", "1-0", "1-1"]);
    await output(broker, ["produce", "orders", "-p", "1", "-v", "late"]);
    const table = await output(broker, ["groups", "describe", "billing"]);
    expect(words(table)).toEqual([
      ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID"],
      ["billing", "orders", "0", "3", "3", "0", "-"],
      ["billing", "orders", "1", "2", "3", "1", "-"],
      [""],
    ]);
    await broker.end("SIGKILL");

    const again = await startDaemon(broker.data, QUIET);
    expect(await output(again, ["groups", "describe", "billing"])).toBe(table);
    const [listed] = jsonLines(await output(again, ["groups", "list", "-J"]));
    expect(listed).toEqual({
      groups: [
        {
          ...{ group_id: "billing", type: "consumer", protocol_type: "consumer" },
          ...{ state: "empty", generation: 2, members: 0, coordinator_id: 1 },
        },
      ],
      unreadable: [],
    });
    expect(await output(again, ["consume", "orders", "-g", "billing", "-e"])).toBe("late\n");
  },
);

test("seek changes nothing without --execute, and then moves the group as it said", MINUTE, async () => {
  const broker = await withOrders([4, 2]);
  await output(broker, ["offsets", "commit", "billing", "orders:0=4", "orders:1=1"]);
  const seek = ["groups", "seek", "billing"];
  const dry = await command(broker, [...seek, "--shift-by", "-1"]);
  expect(words(dry.stdout)).toEqual([
    ["GROUP", "TOPIC", "PARTITION", "OLD-OFFSET", "NEW-OFFSET"],
    ["billing", "orders", "0", "4", "3"],
    ["billing", "orders", "1", "1", "0"],
    [""],
  ]);
  expect(dry.stderr).toBe("% nothing was changed; --execute does it\n");
  expect(await offsetsOf(broker, "billing")).toEqual([
    [0, 4],
    [1, 1],
  ]);
  const done = await command(broker, [...seek, "--shift-by", "-1", "--execute"]);
  expect(done).toMatchObject({
    code: 0,
    stdout: dry.stdout,
    stderr: "% billing goes on from there in 2 partitions\n",
  });
  const after = async (...arguments_: string[]) => {
    await output(broker, [...seek, ...arguments_, "--execute"]);
    return offsetsOf(broker, "billing");
  };
  expect(await offsetsOf(broker, "billing")).toEqual([
    [0, 3],
    [1, 0],
  ]);
  expect(await after("--to-latest")).toEqual([
    [0, 4],
    [1, 2],
  ]);
  expect(await after("--to-earliest", "--topic", "orders:1")).toEqual([
    [0, 4],
    [1, 0],
  ]);
  expect(await after("--to-offset", "3")).toEqual([
    [0, 3],
    [1, 2],
  ]);
  expect(await after("--to-time", "2000")).toEqual([
    [0, 1],
    [1, 1],
  ]);
  const read = await output(broker, ["consume", "orders", "-g", "billing", "-n", "4", "-f", "%p-%o\\n"]);
  expect(read.split("\n").sort()).toEqual(["", "0-1", "0-2", "0-3", "1-1"]);
});

test("a seek names what it cannot do, and begins a group where --topic says", MINUTE, async () => {
  const broker = await withOrders([1, 0]);
  const seek = ["groups", "seek", "new", "--execute"];
  expect(await command(broker, [...seek, "--to-earliest"])).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringContaining("the group new has committed nothing"),
  });
  expect(await command(broker, [...seek, "--shift-by", "1", "--topic", "orders"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("nothing is committed for orders [0]"),
  });
  expect(await command(broker, [...seek, "--to-earliest", "--topic", "nope"])).toMatchObject({ code: 3 });
  const beyond = await command(broker, [...seek, "--to-offset", "9", "--topic", "orders:0"]);
  expect(beyond.stderr).toBe(
    "% orders [0] has no offset 9; the nearest is 1\n% new goes on from there in 1 partition\n",
  );
  expect(await offsetsOf(broker, "new")).toEqual([[0, 1]]);
});

test(
  "while a group has members it is neither moved nor deleted, and wait tells when it can be",
  MINUTE,
  async () => {
    const broker = await withOrders([2, 0]);
    const member = startCommand(broker, ["consume", "orders", "-g", "billing", "--member", "a"]);
    await member.nextLine();
    await output(broker, ["groups", "wait", "billing", "--members", "1", "--state", "stable"]);
    for (const arguments_ of [
      ["groups", "seek", "billing", "--to-earliest"],
      ["groups", "seek", "billing", "--to-earliest", "--execute"],
      ["groups", "delete", "billing"],
      ["offsets", "commit", "billing", "orders:0=0"],
    ]) {
      const refused = await command(broker, arguments_);
      expect(refused, arguments_.join(" ")).toMatchObject({ code: 5, stdout: "" });
      expect(refused.stderr).toMatch(
        /^error: GROUP_NOT_EMPTY: .*\nhint: stop the members first.*billing --members/,
      );
    }
    const members = await output(broker, ["groups", "describe", "billing", "--members"]);
    expect(words(members)[1]?.slice(0, 6)).toEqual(["billing", "a", "2", "orders(0,1)", "-", "-"]);
    expect(await output(broker, ["groups", "describe", "billing", "--state"])).toContain(
      'the member "a" joined',
    );

    const early = await command(broker, [
      "groups",
      "wait",
      "billing",
      "--state",
      "empty",
      "--timeout",
      "1ms",
    ]);
    expect(early).toMatchObject({ code: 4, stdout: "" });
    expect(early.stderr).toContain("after 1 ms: it is stable (expected empty)\n");
    const waiting = output(broker, ["groups", "wait", "billing", "--state", "empty", "--drained"]);
    member.process.kill("SIGINT");
    expect(await waiting).toBe("the group billing is empty, with 0 members in generation 2\n");
    await output(broker, ["groups", "delete", "billing"]);
    expect(jsonLines(await output(broker, ["groups", "list", "-J"]))).toEqual([
      { groups: [], unreadable: [] },
    ]);
    expect(await command(broker, ["groups", "delete", "billing"])).toMatchObject({ code: 3 });
    expect(await output(broker, ["groups", "delete", "billing", "--if-exists", "-J"])).toBe(
      '{"group_id":"billing","deleted":false}\n',
    );
  },
);

test(
  "a wait for a group that nobody knows goes on until it is there, and says so when it never is",
  MINUTE,
  async () => {
    const broker = await withOrders([0, 0]);
    const never = await command(broker, ["groups", "wait", "none", "--timeout", "1ms", "-J"]);
    expect(never.code).toBe(4);
    expect(jsonLines(never.stderr)).toMatchObject([
      { error: { code: "TIMEOUT", message: expect.stringContaining("there is no such group") } },
    ]);
    const waiting = output(broker, ["groups", "wait", "later", "--members", "0", "-J"]);
    await output(broker, ["offsets", "commit", "later", "orders:1=5", "--metadata", "by hand"]);
    expect(jsonLines(await waiting)).toEqual([
      { group_id: "later", state: "empty", generation: 0, members: 0 },
    ]);
    const [got] = jsonLines(await output(broker, ["offsets", "get", "later", "orders", "-J"]));
    expect(got).toMatchObject({
      group_id: "later",
      offsets: [
        { topic: "orders", partition: 0, offset: null, metadata: null },
        { topic: "orders", partition: 1, offset: 5, metadata: "by hand" },
      ],
    });
  },
);

test(
  "a group or a partition that is not there is told, and an offset that the log does not reach",
  MINUTE,
  async () => {
    const broker = await withOrders([2, 0]);
    for (const places of [[], ["orders"]])
      expect(await command(broker, ["offsets", "get", "nope", ...places])).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^error: UNKNOWN_GROUP/),
      });
    const beyond = await command(broker, ["offsets", "commit", "billing", "orders:0=9", "orders:1=0"]);
    expect(beyond).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^% orders \[0\] ends at 2: [^%]*$/),
    });
    expect(await command(broker, ["offsets", "get", "billing", "orders:2"])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^error: UNKNOWN_PARTITION.*expected 0 to 1\nhint: .*describe orders shows/,
      ),
    });
    expect(await command(broker, ["offsets", "get", "billing", "none"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("topics create none -p 1"),
    });
  },
);

test(
  "a look at a group of more partitions than a signal has listeners warns of nothing",
  MINUTE,
  async () => {
    const broker = await withOrders([1, 0]);
    await output(broker, ["topics", "grow", "orders", "20"]);
    await output(broker, ["consume", "orders", "-g", "billing", "-e"]);
    expect(await processOf(broker, ["groups", "describe", "billing", "-q"])).toMatchObject({
      code: 0,
      stderr: "",
    });
    const wait = ["groups", "wait", "billing", "--members", "1", "--timeout", "1500ms", "-q"];
    expect((await processOf(broker, wait)).stderr).toMatch(
      /^error: TIMEOUT.*it has 0 members \(expected 1\)\n$/,
    );
  },
);

test("offsets are deleted one by one, what is read stays, and the exit code says so", MINUTE, async () => {
  const broker = await withOrders([2, 2]);
  await output(broker, ["topics", "create", "mail"]);
  await output(broker, ["offsets", "commit", "billing", "orders:0=1", "orders:1=2", "mail:0=0"]);
  expect(await output(broker, ["offsets", "delete", "billing", "orders:1"])).toBe(
    "deleted offset 2 of billing for orders [1]\n",
  );
  const member = startCommand(broker, ["consume", "orders", "-g", "billing", "-q"]);
  await member.nextLine();
  const mixed = await command(broker, ["offsets", "delete", "billing", "mail", "orders:0"]);
  expect(mixed).toMatchObject({
    code: 5,
    stdout:
      "deleted offset 0 of billing for mail [0]\n" +
      "billing keeps what it has committed for orders [0]: GROUP_SUBSCRIBED_TO_TOPIC\n",
  });
  expect(mixed.stderr).toMatch(/^error: GROUP_SUBSCRIBED_TO_TOPIC: .*\nhint: stop the members first/);
  const [document] = jsonLines(await output(broker, ["offsets", "delete", "billing", "mail:0", "-J"]));
  expect(document).toEqual({
    group_id: "billing",
    partitions: [{ topic: "mail", partition: 0, offset: null }],
  });
  expect(await command(broker, ["offsets", "delete", "billing", "mail:7"])).toMatchObject({ code: 3 });
  expect(await command(broker, ["offsets", "delete", "nobody", "orders"])).toMatchObject({ code: 3 });
});

test(
  "with a manual clock members and offsets are forgotten by steps, exactly when they are due",
  MINUTE,
  async () => {
    const broker = await withOrders([0, 0], "--clock", "manual");
    const join = { operation: "join_group", group_id: "billing", member_id: "a", topics: ["orders"] };
    await output(broker, ["raw", JSON.stringify(join)]);
    await output(broker, ["offsets", "commit", "other", "orders:0=1"]);
    await output(broker, ["clock", "advance", "9999ms"]);
    expect(await command(broker, ["step", "expire-members"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "% loaded 2 partitions of __consumer_offsets\n",
    });
    await output(broker, ["clock", "advance", "1ms"]);
    expect(words(await output(broker, ["step", "expire-members"]))[1]).toEqual([
      "billing",
      "a",
      "session_timeout",
    ]);
    await output(broker, ["clock", "advance", "169h"]);
    expect(words(await output(broker, ["step", "expire-offsets"]))[1]).toEqual(["other", "orders", "0"]);
    expect(await output(broker, ["groups", "list"])).toBe("");
  },
);

test(
  "while a coordinator is down the other groups are listed, and what is missing is told",
  MINUTE,
  async () => {
    const broker = await withOrders([0, 0], "--brokers", "3");
    // Of the four partitions of __consumer_offsets each of these is in another.
    for (const group of ["a", "b", "c", "d"])
      await output(broker, ["offsets", "commit", group, "orders:0=0", "-q"]);
    await output(broker, ["broker", "stop", "2"]);
    const listed = await command(broker, ["groups", "list"]);
    expect(listed.code).toBe(0);
    expect(words(listed.stdout).map(([group]) => group)).toEqual(["GROUP", "b", "c", "d", ""]);
    expect(listed.stderr).toMatch(
      /^% the groups in __consumer_offsets \[1\] are missing: LEADER_NOT_AVAILABLE: /,
    );
    expect(jsonLines(await output(broker, ["groups", "list", "-J"]))).toMatchObject([
      { groups: [{}, {}, {}], unreadable: [{ partition: 1, code: "LEADER_NOT_AVAILABLE" }] },
    ]);
    expect((await command(broker, ["groups", "describe"])).stderr).toContain("[1] are missing");
    for (const id of ["1", "3"]) await output(broker, ["broker", "stop", id]);
    expect(await command(broker, ["groups", "list"])).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(/^error: LEADER_NOT_AVAILABLE/),
    });
  },
);

test(
  "a member that waits for a step under a manual clock says so, and goes on after it",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), [...QUIET, "--brokers", "3", "--clock", "manual"]);
    await output(broker, ["topics", "create", "orders"]);
    await output(broker, ["produce", "orders", "-v", "x"]);
    const member = startCommand(broker, ["consume", "orders", "-g", "billing", "-n", "1", "--no-commit"]);
    let said = "";
    member.process.stderr.on("data", (text: string) => {
      said += text;
    });
    while (!said.includes("step replicate __consumer_offsets")) await once(member.process.stderr, "data");
    const replicating = async () => {
      await output(broker, ["step", "replicate", "__consumer_offsets"]);
      return output(broker, ["groups", "list", "-q"]);
    };
    while (!(await replicating()).includes("billing"));
    expect(await member.nextLine()).toBe("x");
  },
);

test("a topic that a member subscribes to and that is not there is told by describe", MINUTE, async () => {
  const broker = await withOrders([0, 0]);
  const join = { operation: "join_group", group_id: "billing", member_id: "a", topics: ["orders", "typo"] };
  await output(broker, ["raw", JSON.stringify(join)]);
  for (const aspect of [[], ["--members"], ["--state"]])
    expect((await command(broker, ["groups", "describe", "billing", ...aspect])).stderr).toContain(
      "% the group billing subscribes to typo, which is not there\n",
    );
  const [described] = jsonLines(await output(broker, ["groups", "describe", "billing", "-J"]));
  expect(described).toMatchObject({ groups: [{ missing_topics: ["typo"] }] });
});

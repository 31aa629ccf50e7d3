/** Transactions by the command line: a producer's whole input as one, what readers see of it, and an operator's look and hand. */
import { expect, test } from "vitest";
import { command, jsonLines, output, type RunningCommand, startCommand } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };
const COMMITTED = ["--isolation", "read_committed"];
const IN_TRANSACTION = ["produce", "orders", "-p", "0", "--transactional-id", "billing"];

async function withOrders(...arguments_: string[]): Promise<Daemon> {
  const broker = await startDaemon(temporaryFolder(), ["--log-level", "warn", ...arguments_]);
  await output(broker, ["topics", "create", "orders", "-p", "2"]);
  return broker;
}

/** What a reader to the end prints. */
async function read(broker: Daemon, ...arguments_: string[]): Promise<string[]> {
  return (await output(broker, ["fetch", "orders", "-e", ...arguments_])).split("\n").slice(0, -1);
}

/** A producer that has written one record in its transaction, and waits for more. */
async function openTransaction(
  broker: Daemon,
  value: string,
  ...arguments_: string[]
): Promise<RunningCommand> {
  const producer = startCommand(broker, [...IN_TRANSACTION, ...arguments_]);
  producer.process.stdin.write(`${value}\n`);
  expect(await producer.nextLine()).toMatch(/^partition 0, offset \d+$/);
  return producer;
}

const words = (text: string) => text.split("\n").map((line) => line.split(/ +/));

test(
  "a producer's input is one transaction, which readers of committed records see whole",
  MINUTE,
  async () => {
    const broker = await withOrders();
    const transfer = ["produce", "orders", "-K", ":", "--transactional-id", "transfers"];
    const done = await command(broker, transfer, "alice:-10\nbob:+10\n");
    expect(done).toMatchObject({ code: 0, stderr: "% committed the transaction of transfers\n" });
    expect(done.stdout.split("\n").sort()).toEqual(["", "partition 0, offset 0", "partition 1, offset 0"]);
    expect((await read(broker, ...COMMITTED)).sort()).toEqual(["+10", "-10"]);
    expect((await read(broker)).sort()).toEqual(["+10", "-10"]);

    expect(words(await output(broker, ["tx", "list"]))).toEqual([
      ["TRANSACTIONAL-ID", "STATE", "PRODUCER", "PRODUCER-EPOCH", "PARTITIONS", "STARTED", "COORDINATOR"],
      ["transfers", "complete_commit", expect.stringMatching(/^\d+$/), "1", "0", "-", "1"],
      [""],
    ]);
    const described = await output(broker, ["tx", "describe", "transfers"]);
    expect(described).toMatch(/^STATE +complete_commit$/m);
    expect(described).toMatch(/^TIMEOUT-MS +60000$/m);
    expect(described).toMatch(/^LAST-END +commit,request,\d{4}-\S+Z$/m);
    const dump = await output(broker, ["log", "dump", "orders", "-p", "0", "--records"]);
    expect(dump).toMatch(/isTransactional: true isControl: true endTxnMarker: commit /);
    expect(dump).toMatch(/^\| offset: 1 .* endTxnMarker: commit coordinatorEpoch: 0 firstOffset: 0$/m);
  },
);

test(
  "a line that is no record aborts all that came before it, and readers pass over that",
  MINUTE,
  async () => {
    const broker = await withOrders();
    await output(broker, ["produce", "orders", "-p", "0", "-v", "plain"]);
    const lines = '{"value":"undone"}\n{"value":"undone too"}\noops\n';
    const failed = await command(broker, [...IN_TRANSACTION, "--jsonl"], lines);
    expect(failed.code).toBe(2);
    expect(failed.stderr.split("\n")).toEqual([
      "% aborted the transaction of billing: nothing of it is shown to read_committed readers",
      expect.stringMatching(/^error: INVALID_INPUT: line 3: /),
      "hint: nothing of the input is committed; correct it and run the command again",
      "",
    ]);
    await output(broker, IN_TRANSACTION, "done\n");
    expect(await read(broker, ...COMMITTED)).toEqual(["plain", "done"]);
    expect(await read(broker)).toEqual(["plain", "undone", "undone too", "done"]);
    const offsets = await output(broker, ["fetch", "orders", "-p", "0", "-e", "-f", "%o\\n", ...COMMITTED]);
    expect(offsets).toBe("0\n4\n");
  },
);

test(
  "Ctrl-C aborts what was sent, and a reader of committed records sees nothing of it",
  MINUTE,
  async () => {
    const broker = await withOrders();
    const producer = await openTransaction(broker, "undone");
    expect(await read(broker, ...COMMITTED)).toEqual([]);
    expect(await read(broker)).toEqual(["undone"]);
    producer.process.kill("SIGINT");
    const ended = await producer.ended;
    expect(ended).toMatchObject({ code: 130 });
    expect(ended.stderr).toContain("% aborted the transaction of billing");
    expect(ended.stderr).not.toContain("error:");
    expect(await read(broker, ...COMMITTED)).toEqual([]);
    const [described] = jsonLines(await output(broker, ["tx", "describe", "billing", "-J"]));
    expect(described).toMatchObject({
      state: "complete_abort",
      last_end: { cause: "request" },
      partitions: [],
    });
  },
);

test("what a killed producer left open holds readers up until an operator aborts it", MINUTE, async () => {
  const first = await withOrders();
  const producer = await openTransaction(first, "undone");
  producer.process.kill("SIGKILL");
  await producer.ended;
  await output(first, ["produce", "orders", "-p", "0", "-v", "plain"]);
  // The broker knows it as well after it was killed.
  await first.end("SIGKILL");
  const broker = await startDaemon(first.data, ["--log-level", "warn"]);
  expect(await read(broker, ...COMMITTED)).toEqual([]);
  const [listed] = jsonLines(await output(broker, ["tx", "list", "--state", "ongoing", "-J"]));
  expect(listed).toMatchObject({ transactions: [{ transactional_id: "billing", partitions: 1 }] });
  expect(await output(broker, ["topics", "describe", "orders"])).toMatch(/^orders +0 .* 0 +0 +2 +2$/m);
  const end = async (...level: string[]) =>
    jsonLines(await output(broker, ["topics", "offsets", "orders", "-p", "0", ...level, "-J"]))[0];
  expect(await end("--isolation", "read_committed")).toMatchObject({ offsets: [{ offset: 0 }] });
  expect(await end()).toMatchObject({ offsets: [{ offset: 2 }] });
  expect(await output(broker, ["describe", "orders", "-p", "0"])).toMatch(
    /^OPEN-TRANSACTION-OF +PRODUCER +PRODUCER-EPOCH +FIRST-OFFSET\nbilling +\d+ +0 +0$/m,
  );

  const { transactions } = listed as { transactions: { producer_id: number; producer_epoch: number }[] };
  const named = transactions.flatMap(({ producer_id: id, producer_epoch: epoch }) => [
    ...["--producer-id", `${id}`, "--producer-epoch", `${epoch}`],
  ]);
  // Again, as its answer may have been lost.
  for (let times = 0; times < 2; times += 1)
    expect(await output(broker, ["tx", "abort", "billing", ...named])).toMatch(
      /^aborted the transaction of billing by producer \d+ of epoch 0\n$/,
    );
  expect(await output(broker, ["tx", "abort", "billing"])).toBe("billing has no open transaction\n");
  expect(jsonLines(await output(broker, ["tx", "abort", "billing", "-J"]))).toEqual([
    { transactional_id: "billing", aborted: false },
  ]);
  expect(await read(broker, ...COMMITTED)).toEqual(["plain"]);
  const none = await command(broker, ["tx", "list", "--state", "ongoing", "--state", "prepare-abort"]);
  expect(none).toMatchObject({ code: 0, stdout: "" });
  expect(none.stderr).toBe("% no transactional id is in the state ongoing or prepare_abort\n");
});

test("who ends before an open transaction is told where, and whose it is to be seen", MINUTE, async () => {
  const broker = await withOrders();
  await output(broker, IN_TRANSACTION, "done\n");
  const producer = await openTransaction(broker, "open");
  const stopped =
    "% stopped before an open transaction (orders [0] at offset 2): 1 record; minikafka-cli tx list shows who has it open\n";
  const end = "% reached the end of orders: 2 records\n";
  const fetch = ["fetch", "orders", "-e"];
  expect(await command(broker, [...fetch, ...COMMITTED])).toMatchObject({
    stdout: "done\n",
    stderr: stopped,
  });
  expect(await command(broker, fetch)).toMatchObject({ stdout: "done\nopen\n", stderr: end });
  const consume = ["consume", "orders", "-g", "readers", "-e"];
  const consumed = await command(broker, [...consume, ...COMMITTED]);
  expect(consumed).toMatchObject({ code: 0, stdout: "done\n" });
  expect(consumed.stderr).toContain(stopped);
  const waited = await command(broker, ["groups", "wait", "readers", "--drained", "--timeout", "1ms"]);
  expect(waited.code).toBe(4);
  expect(waited.stderr).toContain("orders [0] is 1 behind");
  expect(waited.stderr).toMatch(
    /^hint: .*tx list --state ongoing shows whose, minikafka-cli describe orders -p 0 /m,
  );

  expect(await output(broker, ["tx", "abort", "billing"])).toBe("aborted the open transaction of billing\n");
  const gone = await command(broker, [...fetch, ...COMMITTED]);
  expect(gone).toMatchObject({ stdout: "done\n", stderr: "% reached the end of orders: 1 record\n" });
  producer.process.stdin.end();
  const ended = await producer.ended;
  expect(ended.code).toBe(5);
  expect(ended.stderr).toMatch(
    /^% the transaction of billing was aborted by an operator, .*: nothing of it /m,
  );
  expect(ended.stderr).not.toContain("% aborted the transaction");
});

test("a new run under the same id ends what the one before has open, and fences it", MINUTE, async () => {
  const broker = await withOrders();
  const old = await openTransaction(broker, "undone");
  await output(broker, IN_TRANSACTION, "done\n");
  old.process.stdin.end("undone too\n");
  const ended = await old.ended;
  expect(ended.code).toBe(5);
  expect(ended.stderr).toMatch(/^% the transaction of billing was aborted by whoever took over: /m);
  expect(ended.stderr).toMatch(/^error: PRODUCER_FENCED: /m);
  expect(await read(broker, ...COMMITTED)).toEqual(["done"]);
});

test("a transaction that is open for too long is aborted by itself, and readers go on", MINUTE, async () => {
  const broker = await withOrders();
  const producer = await openTransaction(broker, "undone", "--transaction-timeout", "200ms");
  await output(broker, ["produce", "orders", "-p", "0", "-v", "plain"]);
  expect(await output(broker, ["fetch", "orders", "-n", "1", ...COMMITTED])).toBe("plain\n");
  producer.process.stdin.end("undone too\n");
  const ended = await producer.ended;
  expect(ended.code).toBe(5);
  expect(ended.stderr).toMatch(/^error: TRANSACTION_ABORTED: /m);
  expect(ended.stderr).toMatch(
    /^% the transaction of billing was aborted by the broker, as it was open for longer/m,
  );
  expect(ended.stderr).toMatch(/^hint: .*run the command again/m);
  expect(await read(broker, ...COMMITTED)).toEqual(["plain"]);
});

test(
  "a group that reads committed records is behind by nothing when it has passed over the aborted ones",
  MINUTE,
  async () => {
    const broker = await withOrders();
    await output(broker, IN_TRANSACTION, "done\n");
    await command(broker, [...IN_TRANSACTION, "--jsonl"], '{"value":"undone"}\noops\n');
    const consume = ["consume", "orders", "-g", "readers", "-e"];
    expect(await output(broker, [...consume, ...COMMITTED])).toBe("done\n");
    const [{ groups = [] } = {}] = jsonLines(
      await output(broker, ["groups", "describe", "readers", "-J"]),
    ) as [{ groups?: { partitions: { partition: number; lag: number }[] }[] }];
    expect(groups[0]?.partitions.map(({ lag }) => lag)).toEqual([0, 0]);
  },
);

test(
  "under a manual clock a step aborts what is open for too long, and says what it did",
  MINUTE,
  async () => {
    const broker = await withOrders("--clock", "manual");
    const producer = await openTransaction(broker, "undone");
    const step = ["step", "expire-transactions"];
    const first = await command(broker, step);
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr).toMatch(/^% loaded \d+ partitions of __transaction_state/);
    const early = await command(broker, step);
    expect(early).toMatchObject({ code: 0, stdout: "" });
    expect(early.stderr).toMatch(/^% no transaction is open for longer than its timeout/);
    await output(broker, ["clock", "advance", "61s"]);
    expect(words(await output(broker, step))).toEqual([
      ["TRANSACTIONAL-ID", "OUTCOME"],
      ["billing", "aborted"],
      [""],
    ]);
    expect(jsonLines(await output(broker, [...step, "-J"]))).toEqual([
      { aborted: [], completed: [], forgotten: [], failed: [], repaired: [], loaded: [] },
    ]);
    expect(await output(broker, ["tx", "describe", "billing"])).toMatch(/^LAST-END +abort,timeout,/m);
    producer.process.stdin.end();
    expect((await producer.ended).code).toBe(5);
  },
);

/** Exit code, what is said, and the command. */
const REFUSED: readonly [number, string, readonly string[]][] = [
  [3, "UNKNOWN_TRANSACTIONAL_ID", ["tx", "describe", "nobody"]],
  [3, "UNKNOWN_TRANSACTIONAL_ID", ["tx", "abort", "nobody"]],
  [2, "Expected one of empty, ongoing", ["tx", "list", "--state", "open"]],
  [2, "missing required argument 'id'", ["tx", "abort"]],
  [
    2,
    "--producer-id and --producer-epoch: expected both or neither",
    ["tx", "abort", "b", "--producer-id", "1"],
  ],
  [2, "a command is missing", ["tx", "-J"]],
  [2, "--transactional-id and --acks 1 exclude each other", [...IN_TRANSACTION, "--acks", "1"]],
  [2, "--transactional-id and --name exclude each other", [...IN_TRANSACTION, "--name", "n"]],
  [2, "--transaction-timeout needs --transactional-id", ["produce", "orders", "--transaction-timeout", "1s"]],
  [2, "Expected a name", ["produce", "orders", "--transactional-id", ""]],
  [2, "INVALID_TRANSACTION_TIMEOUT", [...IN_TRANSACTION, "--transaction-timeout", "16m"]],
  [2, "Expected read_committed or read_uncommitted", ["fetch", "orders", "--isolation", "none"]],
  [2, "hint: --isolation read_committed", ["fetch", "orders", "--isolation-level", "read_committed"]],
  [2, "hint: --isolation read_committed", ["consume", "orders", "--read-committed"]],
  [5, "STEPPING_DISABLED", ["step", "expire-transactions"]],
];

test("what is refused has its exit code, and says what to do", MINUTE, async () => {
  const broker = await withOrders();
  for (const [code, said, arguments_] of REFUSED) {
    const ended = await command(broker, arguments_);
    expect(ended, arguments_.join(" ")).toMatchObject({ code, stdout: "" });
    expect(ended.stderr, arguments_.join(" ")).toContain(said);
  }
});

/** `fault` and `broker crash` on the command line: what they print, and how they end. */
import { expect, test } from "vitest";
import { command, output } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

async function lab(arguments_: readonly string[] = ["--lab"]): Promise<Daemon> {
  const broker = await startDaemon(temporaryFolder(), [...arguments_, "--log-level", "fatal"]);
  await output(broker, ["topics", "create", "orders", "-p", "2"]);
  return broker;
}

test("a fault is armed, acts, is listed with its counts, proved and disarmed", async () => {
  const broker = await lab();
  const arm = [
    "fault",
    "arm",
    "request.produce",
    "error",
    "--code",
    "POLICY_VIOLATION",
    "-t",
    "orders",
    "-p",
    "1",
  ];
  expect(await output(broker, arm)).toBe(
    "armed fault 1: error POLICY_VIOLATION at request.produce, once for topic orders, partition 1\n",
  );
  await output(broker, ["produce", "orders", "-p", "0", "-v", "fine"]);
  expect(await command(broker, ["fault", "assert"])).toEqual({
    code: 5,
    stdout: "",
    stderr: expect.stringMatching(
      /^error: FAULT_NOT_FIRED: never fired: fault 1 \(error POLICY_VIOLATION at request\.produce\) after 0 hits\nhint: .*fault list/,
    ),
  });
  const refused = await command(broker, ["produce", "orders", "-p", "1", "-v", "broken"]);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("POLICY_VIOLATION")]);
  expect(await output(broker, ["fault", "list"])).toBe(
    "RULE  POINT            ACTION                  TIMES  SCOPE                      HITS  FIRED  HELD\n" +
      "1     request.produce  error POLICY_VIOLATION  once   topic orders, partition 1  1     1      0\n",
  );
  expect(await output(broker, ["fault", "assert", "1"])).toBe("fault 1 fired once in 1 hit\n");
  expect(await output(broker, ["fault", "disarm", "1"])).toBe("disarmed 1 fault\n");
  expect(await command(broker, ["fault", "list"])).toMatchObject({ code: 0, stdout: "" });
});

test("with -J each command prints one document", async () => {
  const broker = await lab();
  const json = async (...words: string[]) => JSON.parse(await output(broker, [...words, "-J"]));
  expect(
    await json("fault", "arm", "request.ping", "drop-answer", "--probability", "0.5", "--seed", "9"),
  ).toEqual({
    rule_id: 1,
  });
  expect(await json("fault", "list")).toMatchObject({
    rules: [
      { rule_id: 1, action: "drop_answer", times: { probability: 0.5, seed: 9 }, hits: 0, fired: 0, held: 0 },
    ],
  });
  const { points } = await json("fault", "points", "request.watch");
  expect(points).toEqual([{ point: "request.watch", actions: ["error", "close", "crash"], scope: [] }]);
  expect(await json("fault", "arm", "request.ping", "hold", "--first", "2")).toEqual({ rule_id: 2 });
  expect(await json("fault", "release", "2")).toEqual({ rule_id: 2, released: 0 });
  expect(await json("fault", "disarm")).toEqual({ disarmed: 2 });
});

test("points are listed by how their names begin, with what each takes", async () => {
  const broker = await lab();
  expect(await output(broker, ["fault", "points", "request.end"])).toBe(
    "POINT                    ACTIONS                                               SCOPE\n" +
      "request.end_transaction  error,delay,hold,drop-answer,close,close-after,crash  transactional_id\n",
  );
  expect(await output(broker, ["fault", "points"])).toMatch(
    /^log\.append\.before_write +error,crash +topic,partition,broker_id$/m,
  );
  for (const [prefix, hint] of [
    ["nowhere", "without a name, lists them all"],
    ["request.prodcue", "did you mean request.produce?"],
  ] as const)
    expect(await command(broker, ["fault", "points", prefix])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(hint),
    });
});

const REFUSED: readonly (readonly [words: readonly string[], code: number, stderr: RegExp])[] = [
  [
    ["arm", "request.ping", "explode"],
    2,
    /Expected error, delay, hold, drop-answer, close, close-after or crash/,
  ],
  [["arm", "request.ping", "close", "--once", "--nth", "2"], 2, /cannot be used with/],
  [["arm", "request.ping", "close", "--nth", "0"], 2, /whole number from 1/],
  [["arm", "request.ping", "close", "--probability", "2"], 2, /above 0 and at most 1/],
  [["arm", "request.ping", "close", "--seed", "2"], 2, /--seed goes with --probability/],
  [["arm", "request.ping", "delay", "--delay", "5"], 2, /5ms or 5s/],
  [["arm", "request.nowhere", "close"], 2, /there is no request\.nowhere/],
  [
    ["arm", "request.prodcue", "close"],
    2,
    /did you mean request\.produce\? minikafka-cli fault points lists them\n/,
  ],
  [["arm", "produce", "close"], 2, /did you mean request\.produce\?/],
  [["arm", "request.ping", "error"], 2, / --code: expected it beside action error/],
  [["arm", "request.ping", "delay"], 2, / --delay: expected it beside action delay/],
  [["arm", "request.ping", "error", "--code", "NOT_ENOUGH_REPLICA"], 2, /did you mean NOT_ENOUGH_REPLICAS\?/],
  [["arm", "request.ping", "error", "--code", "NOT_ENOGH"], 2, /did you mean NOT_ENOUGH_REPLICAS\?/],
  [["arm", "request.ping", "error", "--code", "OOPS"], 2, /code: expected a code of the error table/],
  [["arm", "log.append.before_write", "error", "--errno", "EPERM"], 2, /errno: /],
  [
    ["arm", "log.append.before_write", "error", "--code", "NOT_ENOUGH_REPLICAS"],
    2,
    /--code: it says nothing .*, which takes --errno and --bytes-written\n/,
  ],
  [["arm", "request.produce", "clos"], 2, /Expected error, .* or crash\.\nhint: did you mean close\?/],
  [["assert"], 3, /no fault is armed\nhint: minikafka-cli fault arm/],
  [["assert", "7"], 3, /no fault is armed under 7/],
  [["disarm", "7"], 3, /no fault is armed under 7/],
  [["release", "7"], 3, /no fault is armed under 7\nhint: minikafka-cli fault list/],
];

test("what cannot be armed, proved or released is refused in a sentence, with the exit code for it", async () => {
  const broker = await lab();
  for (const [words, code, stderr] of REFUSED)
    expect(await command(broker, ["fault", ...words]), words.join(" ")).toEqual({
      code,
      stdout: "",
      stderr: expect.stringMatching(stderr),
    });
  expect(await output(broker, ["fault", "list"])).toBe("");
});

test("broker crash kills the daemon, and its next life has what was acknowledged", async () => {
  const broker = await lab();
  await output(broker, ["produce", "orders", "-p", "0", "-v", "kept", "--acks", "all"]);
  expect(await output(broker, ["broker", "crash"])).toBe("the broker's process is gone\n");
  expect((await broker.ended).signal).toBe("SIGKILL");
  const again = await startDaemon(broker.data, ["--lab", "--log-level", "fatal"]);
  expect(await output(again, ["fetch", "orders", "-p", "0", "-e"])).toBe("kept\n");
});

test("without --lab nothing is armed and nobody crashes the daemon", async () => {
  const broker = await lab([]);
  for (const words of [
    ["fault", "arm", "request.ping", "close"],
    ["fault", "list"],
    ["fault", "assert"],
    ["broker", "crash"],
  ])
    expect(await command(broker, words), words.join(" ")).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^error: STEPPING_DISABLED.*\nhint: minikafka-broker --data \.\/data --lab/,
      ),
    });
  await output(broker, ["ping"]);
  expect(await output(broker, ["fault", "points", "request.ping"])).toMatch(/^request\.ping +error,/m);
});

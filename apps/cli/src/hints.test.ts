import { ERRORS } from "@minikafka/protocol/errors";
import { expect, test } from "vitest";
import { CliError, failureOf } from "./failure.ts";
import { hintFor } from "./hints.ts";
import { hintElsewhere } from "./other-names.ts";

const FACTS = { broker: "127.0.0.1:9192", topic: "orders" };
const failure = (code: string) => ({ code, retriable: false, message: "", details: {} });

test("a hint is one line", () => {
  for (const code of Object.keys(ERRORS)) expect(hintFor(failure(code), FACTS) ?? "").not.toContain("\n");
});

test("a hint names the topic and the broker that the command was about", () => {
  expect(hintFor(failure("UNKNOWN_TOPIC"), FACTS)).toContain("minikafka-cli topics create orders -p 1");
  expect(hintFor(new CliError("CONNECTION", ""), FACTS)).toContain("at 127.0.0.1:9192?");
});

test("after a request went out, advice is to look first", () => {
  const lost = new CliError("CONNECTION", "", { details: { sent: true } });
  expect(hintFor(lost, FACTS)).toContain("look whether it took effect");
});

test("who wants to move the clock is not sent to --lab, which keeps it; who arms a fault is", () => {
  const of = (command: string) => hintFor(failure("STEPPING_DISABLED"), { ...FACTS, command });
  for (const command of ["clock advance", "trace", "snapshot save"]) {
    expect(of(command)).toContain("--clock manual");
    expect(of(command)).not.toContain("--lab");
  }
  expect(of("fault arm")).toContain("--lab");
});

test("the place that failed knows better than the table", () => {
  expect(hintFor(new CliError("TIMEOUT", "", { hint: "wait" }), FACTS)).toBe("wait");
});

test("a code of a newer broker has no hint, and anything that is not an error of ours asks to be reported", () => {
  expect(hintFor(failure("BRAND_NEW"), FACTS)).toBeNull();
  expect(hintFor(failureOf(new TypeError("oops")), FACTS)).toContain("please report it");
});

test("a hint names the group that the command was about, and the command that shows who is in it", () => {
  const of = (code: string, command: string) =>
    hintFor(failure(code), { ...FACTS, group: "billing", command });
  expect(of("GROUP_NOT_EMPTY", "groups delete")).toContain("minikafka-cli groups describe billing --members");
  expect(of("UNKNOWN_MEMBER", "offsets commit")).toContain("minikafka-cli groups describe billing --members");
  expect(of("UNKNOWN_MEMBER", "consume")).toContain("run the command again");
  expect(of("REQUEST_TIMED_OUT", "offsets commit")).toContain("step replicate __consumer_offsets");
  expect(of("REQUEST_TIMED_OUT", "produce")).toContain("step replicate orders");
});

test("who cannot join a group is told of its assignor where that is the reason, else that it may have clients of one protocol alone", () => {
  const of = (details: object) =>
    hintFor(
      { ...failure("INCONSISTENT_GROUP_PROTOCOL"), details: { ...details } },
      { ...FACTS, group: "billing" },
    );
  expect(of({ assignor: "range" })).toContain("groups describe billing --state");
  expect(of({ type: "classic" })).not.toContain("--assignor");
  expect(of({ type: "classic" })).toContain("minikafka-cli groups describe billing --members");
});

test("what no fault can be armed with is told where to look it up, and any other bad request by its message alone", () => {
  const of = (command: string) => hintFor(failure("INVALID_REQUEST"), { ...FACTS, command });
  expect(of("fault arm")).toContain("fault points");
  expect(of("raw")).toBeNull();
});

test.each(["", ".", "..", "a b", "-x", "x".repeat(250)])(
  "nobody is told to create %j, which no topic can be called",
  (topic) => {
    const hint = hintFor(failure("UNKNOWN_TOPIC"), { ...FACTS, topic, command: "fetch" });
    expect(hint).not.toContain("topics create");
    expect(hint).toContain("a name has");
  },
);

test("a full disk wants room, and any other trouble of it a restart", () => {
  const refused = (message: string) => hintFor({ ...failure("STORAGE_ERROR"), message }, FACTS);
  expect(refused("0.log: write of 0.log failed with ENOSPC: no space left on the device")).toBe(
    "make room on the broker's disk, then run the command again",
  );
  expect(refused("0.log: write of 0.log failed with EIO: the disk failed")).toContain("restart it");
});

test("of several topics a hint names the one that is missing", () => {
  const missing = { ...failure("UNKNOWN_TOPIC"), details: { topic: "nope" } };
  expect(hintFor(missing, { ...FACTS, command: "consume" })).toContain("topics create nope -p 1");
});

test.each(["join_group", "commit_offsets", "delete_group", "expire_members", "expire_offsets"])(
  "a time-out of %s says that its acknowledgement may wait for a step",
  (operation) => {
    const silent = { ...failure("TIMEOUT"), details: { operation, sent: true } };
    expect(hintFor(silent, FACTS)).toContain("minikafka-cli step replicate __consumer_offsets");
  },
);

test.each(["init_producer", "begin_transaction", "end_transaction", "abort_transaction"])(
  "a time-out of %s says where to look, and which steps it may wait for",
  (operation) => {
    const silent = { ...failure("TIMEOUT"), details: { operation, sent: true } };
    expect(hintFor(silent, FACTS)).toContain("minikafka-cli tx list shows it");
    expect(hintFor(failure("REQUEST_TIMED_OUT"), { ...FACTS, command: "tx abort" })).toContain(
      "step replicate",
    );
  },
);

test("readers' options of other programs are answered with ours", () => {
  for (const option of ["--isolation-level", "--read-committed", "-X"])
    expect(hintElsewhere("consume", `unknown option '${option}'`)).toContain("--isolation read_committed");
  expect(hintElsewhere("consume", "unknown option '--from-beginning'")).toContain("-o earliest");
  expect(hintElsewhere("fetch", "unknown option '--from-beginning'")).toContain("-o beginning");
  expect(hintElsewhere("topics list", "unknown option '-X'")).toBeNull();
});

test("commands of other programs are answered with ours, in the group where they were sought", () => {
  const of = (group: string, word: string) => hintElsewhere(group, `unknown command '${word}'`);
  expect(of("", "cluster")).toContain("minikafka-cli describe");
  expect(of("", "lag")).toContain("groups describe");
  expect(of("broker", "list")).toContain("minikafka-cli describe");
  for (const word of ["show", "list", "describe"])
    expect(of("offsets", word)).toContain("minikafka-cli offsets get GROUP");
  expect(of("groups", "show")).toContain("groups describe GROUP");
  expect(of("topics", "show")).toContain("topics describe TOPIC");
  expect(of("topics", "add-partitions")).toContain("topics grow");
  for (const word of ["cluster", "toString", "nope"]) expect(of("tx", word)).toBeNull();
});

test("a hint fits the command that failed", () => {
  const of = (code: string, command: string, details = {}) =>
    hintFor({ ...failure(code), details }, { ...FACTS, command }) ?? "";
  expect(of("OFFSET_OUT_OF_RANGE", "fetch")).toContain("-o beginning");
  expect(of("OFFSET_OUT_OF_RANGE", "topics trim")).not.toContain("-o ");
  expect(of("UNKNOWN_TOPIC", "topics delete")).toContain("--if-exists");
  expect(of("UNKNOWN_PARTITION", "produce")).toContain("-p N overrides");
  expect(of("INVALID_TOPIC", "topics create", { collides_with: "orders_x" })).toContain("orders_x");
  expect(of("INVALID_CONFIG", "topics create", { brokers: 1 })).toContain("--brokers");
  const saying = (code: string, message: string) => hintFor({ ...failure(code), message }, FACTS);
  const inMs = 'retention_ms is "1x"; expected a whole number of milliseconds, from -1 (-1: no limit)';
  expect(saying("INVALID_CONFIG", inMs)).toContain("1h, 7d");
  expect(saying("FAULT_NOT_FIRED", "never fired: fault 1 (close at request.produce) after 0 hits")).toContain(
    "pass kafka.Produce",
  );
  for (const counted of ["request.produce) after 1 hits", "kafka.Produce) after 0 hits"])
    expect(saying("FAULT_NOT_FIRED", `never fired: fault 1 (close at ${counted}`)).not.toContain(
      "pass kafka.",
    );
  expect(of("LEADER_NOT_AVAILABLE", "tx abort", { topic: "__transaction_state", partition: 3 })).toContain(
    "promote __transaction_state BROKER -p 3",
  );
  expect(of("UNKNOWN_PRODUCER_ID", "tx abort")).toContain("tx list --state ongoing");
  expect(of("INVALID_REQUEST", "ping", { json_address: "127.0.0.1:9192" })).toContain(
    "-b 127.0.0.1:9192 is ",
  );
  expect(of("USAGE", "topics alter")).toBe("minikafka-cli topics alter --help shows what it takes");
});

test("who meets an HTTP server is told which port was meant", () => {
  const of = (message: string) => hintFor(new CliError("INVALID_ANSWER", message), FACTS);
  expect(of('the line is not JSON; it begins "HTTP/1.1 400 Bad Request"')).toMatch(
    /^an HTTP server listens at .*--port, 9192 by default$/,
  );
  expect(of('the line is not JSON; it begins "SSH-2.0"')).toMatch(/^is it a MiniKafka broker/);
});

test("what hinders a cluster from being quiet is told with what helps against just that", () => {
  const of = (...kinds: string[]) =>
    hintFor(new CliError("NOT_QUIET", "", { details: { unquiet: kinds.map((what) => ({ what })) } }), FACTS);
  expect(of("steps_left")).toContain("--max-steps");
  expect(of("step_failed", "broker_failed")).toContain("broker stop ID");
  expect(of("step_failed")).toContain("step next");
  expect(of("answer_waits")).toContain("broker started");
  const held = { details: { unquiet: [{ what: "step_waits", held_by: [1] }] } };
  expect(hintFor(new CliError("NOT_QUIET", "", held), FACTS)).toContain("fault release");
});

test("whoever measures the start of a broker is not told to start one", () => {
  const hint = hintFor(
    { code: "CONNECTION", retriable: true, message: "cannot connect", details: {} },
    { broker: "127.0.0.1:9192", command: "bench start" },
  );
  expect(hint).toMatch(/its own.*--timeout/);
});

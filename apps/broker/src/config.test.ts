import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { program, sourcesOf } from "./command-line.ts";
import { ConfigProblem, resolveSettings } from "./config.ts";

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "config.json"), text);
  return join(folder, "config.json");
}

function resolve(flags: string[], environment: NodeJS.ProcessEnv = {}) {
  const command = program()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse(flags, { from: "user" });
  return resolveSettings(sourcesOf(command, environment));
}

test("with a data folder alone, the defaults are those that the help states", () => {
  expect(resolve(["--data", "d"])).toMatchObject({
    data: "d",
    host: "127.0.0.1",
    port: 9192,
    brokers: 1,
    clock: "auto",
    lab: false,
    profile: "kafka",
    max_frame_bytes: 4_194_304,
    log_level: "info",
  });
  expect(program().helpInformation()).toMatch(/--port <N>[^-]*default\s+9192/);
});

test("a flag goes before the environment, and the environment before the file", () => {
  const config = file('{"port":1,"host":"file","brokers":3,"data":"from-file","lab":true}');
  const environment = { MINIKAFKA_CONFIG: config, MINIKAFKA_PORT: "2", MINIKAFKA_HOST: "environment" };
  expect(resolve(["--port", "4"], environment)).toMatchObject({
    data: "from-file",
    port: 4,
    host: "environment",
    brokers: 3,
    lab: true,
  });
  expect(resolve(["--config", config, "--lab"], {})).toMatchObject({ port: 1, lab: true });
  expect(
    resolve(["--data", "d"], {
      MINIKAFKA_LAB: "false",
      MINIKAFKA_BROKER: "of-the-cli:1",
      MINIKAFKA_PORT: "",
    }),
  ).toMatchObject({ lab: false, port: 9192 });
});

test("settings are frozen once they are checked", () => {
  expect(Object.isFrozen(resolve(["--data", "d"]))).toBe(true);
});

test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
  ["no data folder", [], {}, /^data is missing; give --data, MINIKAFKA_DATA/],
  [
    "a port that is no number",
    ["--data", "d", "--port", "kafka"],
    {},
    /^port is "kafka" \(from --port\): expected a whole number from 0 to 65535$/,
  ],
  [
    "a port out of range",
    ["--data", "d"],
    { MINIKAFKA_PORT: "70000" },
    /^port is 70000 \(from MINIKAFKA_PORT\): expected a whole number from 0 to 65535$/,
  ],
  [
    "fewer brokers than one",
    ["--data", "d", "--brokers", "0"],
    {},
    /^brokers is 0 \(from --brokers\): expected a whole number from 1 to \d+$/,
  ],
  [
    "an empty name for the folder",
    ["--data", ""],
    {},
    /^data is "" \(from --data\): expected text that is not empty$/,
  ],
  ["a clock that does not exist", ["--data", "d", "--clock", "fast"], {}, /^clock is "fast"/],
  [
    "a lab that is neither",
    ["--data", "d"],
    { MINIKAFKA_LAB: "yes" },
    /^lab is "yes" .*: expected true or false$/,
  ],
  ["a start time without a manual clock", ["--data", "d", "--start-time", "5"], {}, /manual clock/],
  ["a seed without a manual clock", ["--data", "d", "--seed", "5"], {}, /^seed is for a manual clock/],
  ["a seed that is no whole number", ["--data", "d", "--seed", "0.5"], {}, /^seed is "0.5" \(from --seed\)/],
  ["a file that is not there", ["--config", "/nowhere/at-all.json"], {}, /cannot be read: .*at-all\.json/],
])("%s is refused, with its name and where it was set", (_name, flags, environment, message) => {
  expect(() => resolve(flags, environment)).toThrow(ConfigProblem);
  expect(() => resolve(flags, environment)).toThrow(message);
});

test.each([
  ["nope", /not JSON/],
  ["[]", /no JSON object/],
  [
    '{"data":"d","log.segment.bytes":4096}',
    /^there is no setting log\.segment\.bytes \(in .*\); Kafka's log\.segment\.bytes is segment_bytes here$/,
  ],
  ['{"data":"d","listeners":"x"}', /; Kafka's listeners is host or port or kafka_port here$/],
  [
    '{"data":"d","log.retention.hours":1}',
    /; retention_ms is a setting of each topic here, said when one is created$/,
  ],
  ['{"data":"d","segment.bytes":1}', /; did you mean segment_bytes\? the settings are data, host/],
  [
    '{"data":"d","log.dirs":"x","foo":1}',
    /no setting log\.dirs, foo .*; Kafka's log\.dirs is data here; the settings are data, host/,
  ],
  ['{"data":"d","prot":1}', /no setting prot .*; did you mean port\? the settings are data, host/],
  ['{"data":"d","port":"1"}', /^port is "1" \(from .*config\.json\)/],
  ['{"__proto__":{"data":"d"}}', /no setting __proto__|data is missing/],
])("a file that holds %s is refused", (text, message) => {
  expect(() => resolve(["--config", file(text)])).toThrow(message);
});

test("the flush policy is one of three, from a flag or the environment; an older name is refused by its origin", () => {
  expect(resolve(["--data", "d"])).toMatchObject({ flush: "ack", flush_interval_ms: 5_000 });
  const environment = { MINIKAFKA_FLUSH: "interval", MINIKAFKA_FLUSH_INTERVAL_MS: "50" };
  expect(resolve(["--data", "d"], environment)).toMatchObject({ flush: "interval", flush_interval_ms: 50 });
  expect(resolve(["--data", "d", "--flush", "os"], environment)).toMatchObject({ flush: "os" });
  expect(() => resolve(["--data", "d", "--flush", "before-ack"])).toThrow(
    /flush is "before-ack" \(from --flush\): expected "ack", "interval" or "os"$/,
  );
});

test("Kafka's clients find the brokers at ports one behind the other, or at one that is named for each", () => {
  const named = { brokers: 3, kafka_port: [9092, 9095, 9098] };
  expect(resolve(["--data", "d", "--kafka-port", "9092"])).toMatchObject({ kafka_port: 9092 });
  const flags = ["--data", "d", "--brokers", "3"];
  expect(resolve([...flags, "--kafka-port", "9092,9095,9098"])).toMatchObject(named);
  expect(resolve(flags, { MINIKAFKA_KAFKA_PORT: "9092,9095,9098" })).toMatchObject(named);
  const config = file('{"data":"d","brokers":3,"kafka_port":[9092,9095,9098]}');
  expect(resolve(["--config", config])).toMatchObject(named);
  expect(() => resolve(["--data", "d", "--kafka-port", "9092,9095"])).toThrow(
    "kafka_port names 2 ports; expected one, or 1: one for each of the brokers",
  );
  expect(() => resolve([...flags, "--kafka-port", "65534"])).toThrow(
    "kafka_port is 65534; expected at most 65533: the 3 brokers have the ports from it on",
  );
  expect(resolve([...flags, "--kafka-port", "65533"])).toMatchObject({ kafka_port: 65_533 });
  expect(() => resolve([...flags, "--kafka-port", "9092,9095,9092"])).toThrow("kafka_port names 9092 twice");
  expect(resolve([...flags, "--kafka-port", "0,9095,0"])).toMatchObject({ kafka_port: [0, 9095, 0] });
  for (const wrong of ["9092,", "9092,70000", "9092 9095", "kafka"])
    expect(() => resolve([...flags, "--kafka-port", wrong])).toThrow(
      /^kafka_port is ".*" \(from --kafka-port\): expected a port from 0 to 65535, or one for each broker/,
    );
});

test.each(["kafka.example", "localhost", "my_kafka-1", "192.168.1.5", "::1", "xn--bcher-kva.example"])(
  "Kafka's clients may be told to connect to %s",
  (advertise) => {
    const flags = ["--data", "d", "--kafka-port", "9092"];
    expect(resolve([...flags, "--advertise", advertise])).toMatchObject({ advertise });
  },
);

test.each([
  "bad_host:99",
  "0.0.0.0",
  "::",
  "[::1]",
  "http://kafka",
  "a b",
  "9092",
  "127.0.1",
  "-a",
  "a..b",
  "a,b",
])("Kafka's clients cannot be told to connect to %s", (advertise) => {
  const flags = ["--data", "d", "--kafka-port", "9092", `--advertise=${advertise}`];
  expect(() => resolve(flags)).toThrow(
    /^advertise is "?.*"? \(from --advertise\): expected a host without a port that clients reach/,
  );
});

test("a host to tell Kafka's clients of is refused where nobody listens for them", () => {
  expect(() => resolve(["--data", "d", "--advertise", "kafka.example"])).toThrow(
    "advertise is for Kafka's clients and for HTTP; add kafka_port or http_port, or leave it out",
  );
});

test("a word may be written as it is elsewhere, and is one of the table's from then on", () => {
  expect(resolve(["--data", "d", "--clock", "real", "--reconciliation", "leader_epoch"])).toMatchObject({
    clock: "auto",
    reconciliation: "leader-epoch",
  });
  const config = file('{"data":"real","clock":"real","ack_rule":"captured_isr"}');
  expect(resolve(["--config", config])).toMatchObject({
    data: "real",
    clock: "auto",
    ack_rule: "captured-isr",
  });
  // A name is no word of the table.
  const named = resolve(["--data", "a_b", "--kafka-port", "0", "--advertise", "my_host"]);
  expect(named).toMatchObject({ data: "a_b", advertise: "my_host" });
  expect(() => resolve(["--data", "d", "--clock", "manul"])).toThrow(
    'clock is "manul" (from --clock): expected "auto" or "manual" (did you mean "manual"?)',
  );
});

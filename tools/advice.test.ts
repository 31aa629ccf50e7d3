import { expect, test } from "vitest";
import { adviceOnceReady, adviceWhenKept } from "./advice.mjs";

function ready(port: number): string {
  return JSON.stringify({ msg: "ready", host: "127.0.0.1", port, pid: 1, data: "./data" });
}

test("a broker that is ready on its usual port needs no address on the command line", () => {
  const advice = adviceOnceReady(ready(9192));
  expect(advice).toContain("\n  npx minikafka-cli topics create orders -p 2\n");
  expect(advice).toContain("\n  echo created | npx minikafka-cli produce orders -k alice\n");
  expect(advice).toContain("\n  npx minikafka-cli fetch orders -p 1 -e -J\n");
});

test("a broker on another port is named in every command", () => {
  const commands = adviceOnceReady(ready(40123))?.match(/npx minikafka-cli .*/g);
  expect(commands).toHaveLength(3);
  for (const command of commands ?? []) expect(command).toContain("minikafka-cli -b 127.0.0.1:40123 ");
});

test("who started it with ports for Kafka's clients is told what those need", () => {
  const kafka = [9092, 9093].map((port, place) => ({ broker_id: place + 1, host: "127.0.0.1", port }));
  const advice = adviceOnceReady(JSON.stringify({ ...JSON.parse(ready(9192)), kafka }));
  expect(advice).toContain('\n  new Kafka({ brokers: ["127.0.0.1:9092", "127.0.0.1:9093"] })\n');
});

test("who started it without is told the flag that Kafka's clients need", () => {
  const advice = adviceOnceReady(ready(9192));
  expect(advice).toContain("\nClients of Kafka need a port of their own: npm start -- --kafka-port 9092\n");
  expect(advice).not.toContain("Kafka({");
});

test.for(["", "not JSON", "null", "1", '{"msg":"else"}'])(
  "a line that says anything else gives no advice: %s",
  (line) => {
    expect(adviceOnceReady(line)).toBeNull();
  },
);

test.each<[string, NodeJS.ProcessEnv, string[], string | null]>([
  ["--port 0", { npm_config_port: "true" }, ["0"], "npm start -- --port 0"],
  ["--port=0", { npm_config_port: "0" }, [], "npm start -- --port 0"],
  ["--lab", { npm_config_lab: "true" }, [], "npm start -- --lab"],
  ["--kafka-port 9092", { npm_config_kafka_port: "true" }, ["9092"], "npm start -- --kafka-port 9092"],
  [
    "--lab --port 0",
    { npm_config_lab: "true", npm_config_port: "true" },
    ["0"],
    "npm start -- --port --lab …",
  ],
  ["-- --port 0", { npm_config_user_agent: "npm" }, ["--port", "0"], null],
])(
  "npm start %s without what npm needs to hand it on is told how to say it",
  (_typed, kept, words, advice) => {
    const said = adviceWhenKept(kept, ["port", "kafka_port", "lab"], words);
    if (advice === null) expect(said).toBeNull();
    else expect(said).toContain(`\n\n  ${advice}\n`);
  },
);

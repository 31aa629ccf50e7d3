import { expect, test } from "vitest";
import { adviceOnceReady } from "./advice.mjs";

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

test.for(["", "not JSON", "null", "1", '{"msg":"else"}'])(
  "a line that says anything else gives no advice: %s",
  (line) => {
    expect(adviceOnceReady(line)).toBeNull();
  },
);

import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { startBroker } from "./daemon.ts";
import { portClash } from "./port-clash.ts";

const SETTINGS = { port: 9192, http_port: undefined, kafka_port: undefined, brokers: 1 };

test.each([
  [
    { brokers: 3, kafka_port: 9492, http_port: 9493 },
    "http_port and kafka_port both want port 9493, for HTTP and for Kafka's clients of broker 2; choose another for one of them",
  ],
  [
    { http_port: 9192 },
    "port and http_port both want port 9192, for lines of JSON and for HTTP; choose another for one of them",
  ],
  [
    { kafka_port: 9192 },
    "port and kafka_port both want port 9192, for lines of JSON and for Kafka's clients; choose another for one of them",
  ],
  [
    { brokers: 2, kafka_port: [9092, 9192] },
    "port and kafka_port both want port 9192, for lines of JSON and for Kafka's clients of broker 2; choose another for one of them",
  ],
])("two doors that want one port are both named: %j", (wanted, said) => {
  expect(portClash({ ...SETTINGS, ...wanted }, true)).toBe(said);
});

test("a door that is not there, and ports that are picked, are in nobody's way", () => {
  expect(portClash({ ...SETTINGS, kafka_port: 9192, http_port: 9193 }, false)).toBeNull();
  expect(portClash({ port: 0, http_port: 0, kafka_port: 0, brokers: 3 }, true)).toBeNull();
  expect(portClash({ ...SETTINGS, brokers: 3, kafka_port: 9193, http_port: 9196 }, true)).toBeNull();
});

test("a broker whose doors want one port does not begin to listen", async () => {
  const settings = { data: "/data", brokers: 3, kafka_port: 9492, http_port: 9493 };
  await expect(startBroker({ settings, disk: new MemoryDisk() })).rejects.toMatchObject({
    name: "ConfigProblem",
    message: expect.stringContaining("http_port and kafka_port both want port 9493"),
  });
});

/**
 * Starts and stops brokers one after the other in a process of its own, each used by a client and by kafkajs, and prints what is left of
 * them: `npm run starts -- 1000` in packages/testing, after a build.
 */
import { once as nextEvent } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { get } from "node:http";
import { startBroker } from "@minikafka/testing";
import { Kafka, logLevel, Partitioners } from "kafkajs";

const starts = Number(process.argv[2] ?? 1_000);
/** Until then code is compiled and tables grow. */
const WARM_UP = 30;
const DESCRIPTORS = "/proc/self/fd";

async function once(number) {
  const manual = number % 2 === 1 ? { clock: "manual" } : {};
  const http = number % 5 === 0;
  const broker = await startBroker({ brokers: 2, topics: { orders: 3 }, http, ...manual });
  if (http) await readsEvents(broker.httpAddress);
  await broker.client.producer().send({ topic: "orders", value: "inside" });
  if (number % 10 === 0) {
    const kafka = new Kafka({ brokers: broker.bootstrapBrokers, logLevel: logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic: "orders", messages: [{ value: "outside" }] });
    await producer.disconnect();
  }
  if (broker.records("orders").length === 0) throw new Error("the record is not there");
  await broker.close();
}

/** Until the broker ends it. */
async function readsEvents({ host, port }) {
  const request = get({ host, port, path: "/events", agent: false });
  request.on("error", () => undefined);
  const [response] = await nextEvent(request, "response");
  response.resume();
}

async function heapBytes() {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function descriptors() {
  return existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0;
}

/** Kinds of what is held beside `own`. */
function besides(own) {
  const rest = [...own];
  return process.getActiveResourcesInfo().filter((kind) => {
    const at = rest.indexOf(kind);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

// Where they lead to a pipe, each is one that is held from its first use on.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);
const own = process.getActiveResourcesInfo();
for (let number = 0; number < WARM_UP; number += 1) await once(number);
const before = { heapBytes: await heapBytes(), descriptors: descriptors() };
const startMs = performance.now();
for (let number = 0; number < starts; number += 1) await once(number);
const msEach = (performance.now() - startMs) / starts;
const grownBytes = (await heapBytes()) - before.heapBytes;
const left = { grownBytes, descriptors: descriptors() - before.descriptors };
console.log(JSON.stringify({ starts, msEach, ...left, resources: besides(own) }));

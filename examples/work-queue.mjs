/**
 * Two workers of one group share a queue of jobs, in one process: node examples/work-queue.mjs
 *
 * A group gives each partition to one worker at a time. A second worker gets its share once the first has let go, and when it
 * leaves, the first has everything again. What a worker is done with is committed by itself, so each job is done once.
 */
import { startBroker } from "@minikafka/testing";

const broker = await startBroker({ topics: { jobs: 4 }, kafka: false });
const { client } = broker;
const producer = client.producer({ idempotent: true });

/** @type {Map<string, string[]>} */
const done = new Map();

/** @param {string} name */
async function startWorker(name) {
  const consumer = client.consumer({
    groupId: "workers",
    memberId: name,
    autoOffsetReset: "earliest",
    heartbeatIntervalMs: 100,
  });
  await consumer.subscribe(["jobs"]);
  await consumer.ready();
  done.set(name, []);
  const working = (async () => {
    for await (const { value } of consumer) done.get(name)?.push(String(value));
  })();
  const stop = async () => {
    await consumer.close();
    await working;
  };
  return { name, consumer, stop };
}

/** @param {...Awaited<ReturnType<typeof startWorker>>} workers */
function show(...workers) {
  for (const { name, consumer } of workers)
    console.log(`${name} reads ${consumer.assignment.map(({ partition }) => partition).join(" ")}`);
}

/** Gives a job to each partition, and waits until all are done. @param {string[]} jobs */
async function work(...jobs) {
  const before = [...done.values()].flat().length;
  await producer.sendMany(jobs.map((value, partition) => ({ topic: "jobs", partition, value })));
  while ([...done.values()].flat().length < before + jobs.length)
    await new Promise((resolve) => setTimeout(resolve, 10));
  for (const [name, values] of done) console.log(`${name} did ${values.splice(0).sort().join(" ")}`);
}

const ann = await startWorker("ann");
show(ann);
await work("a0", "a1", "a2", "a3");
const bob = await startWorker("bob");
show(ann, bob);
await work("b0", "b1", "b2", "b3");
await bob.stop();
done.delete("bob");
// It hears of that with its next heartbeat, which need not be waited for.
await ann.consumer.heartbeat();
await ann.consumer.ready();
show(ann);
await work("c0", "c1", "c2", "c3");
await ann.stop();

const committed = await client.admin().fetchOffsets("workers");
console.log(`committed: ${committed.map(({ offset }) => offset).join(" ")}`);
await broker.close();

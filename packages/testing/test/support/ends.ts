/** How a test's broker ends and comes back. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { TestBroker } from "../../src/index.ts";

/** Each way in which a broker ends, by its name in a sentence. */
export const END_WAYS: readonly [string, (broker: TestBroker) => Promise<void>][] = [
  ["restart", (broker) => broker.restart()],
  ["restart after a kill", (broker) => broker.restart({ after: "kill" })],
  ["restart after a power cut", (broker) => broker.restart({ after: "power_cut" })],
  ["reset", (broker) => broker.reset()],
  ["close", (broker) => broker.close()],
];
/** Those after which there is another. */
export const COMES_BACK = END_WAYS.slice(0, -1);

export async function emptyDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "minikafka-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function requireWorking(broker: TestBroker): Promise<void> {
  await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "after" });
  expect(broker.records("orders").at(-1)).toMatchObject({ value: "after" });
}

/** It can be looked at no more. */
export async function untilDead(broker: TestBroker): Promise<void> {
  for (;;) {
    try {
      broker.transactions();
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

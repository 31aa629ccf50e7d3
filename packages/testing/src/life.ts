/**
 * One run of the daemon, from its start to its end. A test's broker has one after the other: each next one is found where the first was.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Broker, ConfigProblem, startBroker } from "@minikafka/broker";
import { CrashSignal, MemoryDisk } from "@minikafka/core";
import type { Plan } from "./start-options.ts";

/** Of a disk in memory, which has no other folder. */
const MEMORY_FOLDER = "/data";

/** Begins one on a new disk in memory, or on the plan's folder; at the addresses of the one `before`. Rejects as startBroker. */
export async function beginLife({ settings, dir }: Plan, before: Broker | null): Promise<Broker> {
  const places = before === null ? {} : placesOf(before);
  return startBroker({
    settings: { ...settings, ...places, data: dir ?? MEMORY_FOLDER },
    ...(dir === null && { disk: new MemoryDisk() }),
    onBroken: (error) => {
      // The test has asked for the death of this process, and wants to see what its clients make of that.
      if (error instanceof CrashSignal) return;
      // Out of whatever called: nobody on the way may catch it.
      queueMicrotask(() => {
        throw error;
      });
    },
  });
}

function placesOf({ address, kafkaAddresses, httpAddress }: Broker) {
  const ports = kafkaAddresses.map(({ port }) => port);
  return {
    ...(address !== null && { port: address.port }),
    ...(httpAddress !== null && { http_port: httpAddress.port }),
    ...(ports.length > 0 && { kafka_port: ports.length === 1 ? ports[0] : ports }),
  };
}

/** Whether nothing lies in a folder, so that all that comes there is ours. Throws ConfigProblem where a file lies in its place. */
export function isUnused(dir: string): boolean {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new ConfigProblem(`storage.dir is ${JSON.stringify(dir)}, which is no folder`);
  return !existsSync(dir) || readdirSync(dir).length === 0;
}

export function emptyFolder(dir: string): void {
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
}

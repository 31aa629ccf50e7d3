/**
 * One run of the daemon, from its start to its end. A test's broker has one after the other: each next one is found where the first was, and
 * finds what the way that one went has left.
 */
import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Broker, type RawSettings, startBroker } from "@minikafka/broker";
import { BrokerError, CrashSignal, type MemoryDisk } from "@minikafka/core";
import { shownValue } from "@minikafka/record";
import type { Plan } from "./start-options.ts";
import { requireOnly, usage } from "./usage.ts";

/** Of a disk in memory, which has no other folder. */
const MEMORY_FOLDER = "/data";
/** What replicas and disks are given to answer at the end: vitest gives a test 5 s, of which little is left then. */
const GRACE_MS = 500;

/** What a run leaves on its disk: what a clean stop does, all that was written, or only what was flushed. */
export type LifeEnd = "stop" | "kill" | "power_cut";

/** How a restart goes; each part may be left out. */
export interface RestartOptions {
  /** What the daemon that runs comes to. Default "stop": cleanly. */
  readonly after?: LifeEnd | undefined;
}

const ENDS: readonly LifeEnd[] = ["stop", "kill", "power_cut"];

/** Throws USAGE. */
export function lifeEndOf(options: RestartOptions): LifeEnd {
  requireOnly("restart", options, ["after"]);
  const { after = "stop" } = options;
  if (!ENDS.includes(after)) throw usage(`after is ${shownValue(after)}; expected ${ENDS.join(", ")}`);
  return after;
}

/** Where the one before was found, and what time it was there; nothing for the first. */
export type Places = RawSettings;

/** Begins one over a disk in memory, or the plan's folder; `died` is told where its process came to die. Rejects as startBroker. */
export async function beginLife(
  { settings, dir }: Plan,
  disk: MemoryDisk | null,
  places: Places,
  died: (at: string) => void,
): Promise<Broker> {
  return startBroker({
    settings: { ...settings, ...places, data: dir ?? MEMORY_FOLDER },
    graceMs: GRACE_MS,
    ...(disk !== null && { disk }),
    onCrash: (at) => {
      // From here on nothing can be written, by whatever is under way.
      disk?.powerOff();
      died(at);
    },
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

/**
 * Ends one so that its disk is left as `end` says; one that has crashed, or does so meanwhile, was killed. Whoever is connected is cut off.
 * Rejects when a folder could not be made durable; in memory, what could not be written counts for nothing.
 */
export async function endLife(daemon: Broker, disk: MemoryDisk | null, end: LifeEnd): Promise<void> {
  if (end !== "stop") disk?.powerOff();
  try {
    await (end === "stop" ? daemon.close() : daemon.kill());
  } catch (problem) {
    if (disk === null || !(problem instanceof BrokerError)) throw problem;
  } finally {
    // The next one finds it with power.
    disk?.crash({ mode: end === "power_cut" ? "lost" : "kept" });
  }
}

/** For the one that comes after it. */
export function placesOf({ address, kafkaAddresses, httpAddress }: Broker): Places {
  const ports = kafkaAddresses.map(({ port }) => port);
  return {
    ...(address !== null && { port: address.port }),
    ...(httpAddress !== null && { http_port: httpAddress.port }),
    ...(ports.length > 0 && { kafka_port: ports.length === 1 ? ports[0] : ports }),
  };
}

/** Whether nothing lies in a folder, so that all that comes there is ours. Of what is no folder, or cannot be looked at, the broker says why it takes none such. */
export function isUnused(dir: string): boolean {
  try {
    return statSync(dir, { throwIfNoEntry: false }) === undefined || readdirSync(dir).length === 0;
  } catch {
    return false;
  }
}

/** Takes all that is in a folder, and unless it `stays` the folder as well. */
export function emptyFolder(dir: string, stays: boolean): void {
  if (!existsSync(dir)) return;
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
  if (!stays) rmdirSync(dir);
}

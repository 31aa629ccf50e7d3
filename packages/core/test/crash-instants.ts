/** What all explorations of crashes share: the disk at each instant, what a crash leaves of it, and where a check failed. */
import { createHash } from "node:crypto";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import type { SeededRandom } from "../src/env/random.ts";

/** Every kind of crash; what a device may have done is drawn. */
export function crashesOf(random: SeededRandom): Crash[] {
  return [{ mode: "kept" }, { mode: "lost" }, { mode: "torn", random }, { mode: "scattered", random }];
}

/** The disk as it stood before each change that `act` made, and what `act` made besides. */
export function changesOf<Result>(
  disk: MemoryDisk,
  act: () => Result,
): { readonly instants: readonly MemoryDisk[]; readonly result: Result } {
  const instants: MemoryDisk[] = [];
  const end = disk.beforeChange(() => void instants.push(disk.clone()));
  try {
    return { instants, result: act() };
  } finally {
    end();
  }
}

/** The same for what waits, with the disk after the last change at the end. */
export async function instantsOf(disk: MemoryDisk, act: () => unknown): Promise<readonly MemoryDisk[]> {
  const instants: MemoryDisk[] = [];
  const end = disk.beforeChange(() => void instants.push(disk.clone()));
  await act();
  end();
  return [...instants, disk.clone()];
}

/** What a recovery that ended at one of `instants` leaves: once with everything kept, once in another way by chance. */
export function* interruptedAt(
  instants: readonly MemoryDisk[],
  crashes: (random: SeededRandom) => readonly Crash[],
  random: SeededRandom,
): Generator<{ readonly disk: MemoryDisk; readonly crash: Crash }> {
  for (const instant of instants) {
    const [kept, ...others] = crashes(random);
    for (const crash of [kept, others[random.below(others.length)]]) {
      if (crash === undefined) continue;
      const disk = instant.clone();
      disk.crash(crash);
      yield { disk, crash };
    }
  }
}

/** One text for all disks with the same files. */
export function filesHash(disk: MemoryDisk): string {
  const hash = createHash("sha1");
  for (const [path, bytes] of disk.files()) hash.update(path).update(bytes);
  return hash.digest("hex");
}

/** A failure of `act` says where it was. */
export async function saying(where: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (problem) {
    throw new Error(`${where}: ${problem instanceof Error ? problem.message : String(problem)}`, {
      cause: problem,
    });
  }
}

/** What no longer counts in a log's folder: it goes after the commit that says so, at once or at a later open, never before. */
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { IndexMemory } from "../src/log/context/index-memory.ts";
import { LOG_CONFIG_DEFAULTS } from "../src/log/context/log-config.ts";
import type { LogContext } from "../src/log/context/log-context.ts";
import { LogState } from "../src/log/context/log-state.ts";
import type { Manifest } from "../src/log/manifest/manifest.ts";
import { manifestFile } from "../src/log/manifest/manifest-file.ts";
import { ManifestKeeper } from "../src/log/parts/manifest-keeper.ts";
import { SyncFailure } from "../src/log/parts/sync-failure.ts";
import { Turns } from "../src/log/parts/turns.ts";
import {
  batch,
  FOLDER,
  indexAt,
  type LogWorld,
  MANIFEST,
  newWorld,
  PLACE,
  readAll,
  rewrite,
  segmentAt,
  TOPIC_ID,
  timeIndexAt,
  worldOn,
} from "./log-world.ts";

function contextOf({ env }: LogWorld): LogContext {
  return {
    env,
    folder: FOLDER,
    place: PLACE,
    topicId: TOPIC_ID,
    indexMemory: new IndexMemory(1 << 20),
    indexIntervalBytes: 150,
    frameBytesMax: 4096,
    flushesAtRoll: false,
    config: { ...LOG_CONFIG_DEFAULTS, segmentBytes: 600 },
  };
}

function keeperOf(world: LogWorld): { keeper: ManifestKeeper; turns: Turns; state: LogState } {
  const context = contextOf(world);
  const manifest = manifestFile(context).read();
  if (manifest === null) throw new Error("no manifest was made");
  const state = new LogState(context);
  const turns = new Turns();
  const failure = new SyncFailure(context, state, { onFailedSync: () => {}, onUnmarked: () => {} });
  return { keeper: new ManifestKeeper({ context, state, turns, failure, manifest }), turns, state };
}

/** Sealed segments and an active one, closed. */
async function closedWorld(): Promise<{ world: LogWorld; manifest: Manifest }> {
  const world = newWorld();
  const log = world.open();
  for (let n = 0; n < 24; n++) log.append(batch([`${n}`]), 0);
  await log.close();
  world.trace.clear();
  return { world, manifest: keeperOf(world).keeper.manifest };
}

/** Without its first sealed segment. */
function withoutFirst(manifest: Manifest): Manifest {
  const [first, ...sealed] = manifest.sealed;
  const logStartOffset = first?.nextOffset ?? 0;
  return { ...manifest, sealed, logStartOffset, obsolete: [...manifest.obsolete, nameOf(segmentAt(0))] };
}

const nameOf = (path: string) => path.slice(FOLDER.length + 1);
const namesIn = (disk: MemoryDisk) => disk.readFolder(FOLDER).map(({ name }) => name);
const same = (manifest: Manifest) => manifest;

test("a change counts once it is durable, and what belongs to it in the same instant", async () => {
  const { world } = await closedWorld();
  const { keeper, turns } = keeperOf(world);
  const before = keeper.manifest;
  const adopted: Manifest[] = [];
  world.disk.holdSyncs();
  const committed = turns.take(() => keeper.commit(withoutFirst, () => adopted.push(keeper.manifest)));
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(keeper.manifest).toBe(before);
  expect(namesIn(world.disk)).toContain(nameOf(segmentAt(0)));
  world.disk.releaseSyncs();
  await committed;
  expect(adopted).toEqual([withoutFirst(before)]);
  expect(namesIn(world.disk)).not.toContain(nameOf(segmentAt(0)));
  expect(namesIn(world.disk)).not.toContain(nameOf(indexAt(0)));
  const paths = world.trace.of("obsolete_file_removed").map(({ path }) => path);
  expect(paths).toEqual([indexAt(0), timeIndexAt(0), segmentAt(0)]);
});

test("a commit out of turn is a mistake of the program", async () => {
  const { world } = await closedWorld();
  const { keeper } = keeperOf(world);
  await expect(keeper.commit(withoutFirst)).rejects.toThrow("out of turn");
});

test("a name stays among the obsolete until its removal is durable", async () => {
  const { world } = await closedWorld();
  const { keeper, turns } = keeperOf(world);
  const commit = (change: (manifest: Manifest) => Manifest) => turns.take(() => keeper.commit(change));
  await commit(withoutFirst);
  const moved = (manifest: Manifest) => ({ ...manifest, logStartOffset: manifest.logStartOffset + 1 });
  await commit(moved);
  expect(keeper.manifest.obsolete).toEqual([nameOf(segmentAt(0))]);
  await commit(same);
  expect(keeper.manifest.obsolete).toEqual([]);
  const written = world.disk.files().get(MANIFEST);
  await commit(same);
  expect(world.disk.files().get(MANIFEST)).toEqual(written);
});

test("a removal that the disk refuses is no failure, and is tried again", async () => {
  const { world } = await closedWorld();
  const { keeper, turns } = keeperOf(world);
  const refusal = world.disk.fail({ operation: "remove", code: "EBUSY", path: segmentAt(0) });
  await turns.take(() => keeper.commit(withoutFirst));
  refusal.assertFired();
  expect(world.trace.of("obsolete_file_kept")).toMatchObject([{ path: segmentAt(0) }]);
  expect(namesIn(world.disk)).toContain(nameOf(segmentAt(0)));
  const moved = (manifest: Manifest) => ({ ...manifest, logStartOffset: manifest.logStartOffset + 1 });
  await turns.take(() => keeper.commit(moved));
  expect(namesIn(world.disk)).not.toContain(nameOf(segmentAt(0)));
});

test.each([
  ["log.obsolete.before_remove", true],
  ["log.obsolete.after_remove", false],
] as const)("a fault at %s leaves the removal to the next open", async (point, isThere) => {
  const { world } = await closedWorld();
  const { keeper, turns } = keeperOf(world);
  const rule = world.faults.arm({ point, action: "error", site: PLACE });
  await turns.take(() => keeper.commit(withoutFirst));
  rule.assertFired();
  expect(namesIn(world.disk).includes(nameOf(segmentAt(0)))).toBe(isThere);
  world.disk.crash({ mode: "kept" });
  world.open({ create: false });
  expect(namesIn(world.disk)).not.toContain(nameOf(segmentAt(0)));
});

test("a crash at any change of a commit leaves the old log or the new one, and after the next open nothing else", async () => {
  const { world, manifest } = await closedWorld();
  const { keeper, turns } = keeperOf(world);
  const instants: MemoryDisk[] = [];
  const stop = world.disk.beforeChange(() => instants.push(world.disk.clone()));
  await turns.take(() => keeper.commit(withoutFirst));
  await turns.take(() => keeper.commit(same));
  await turns.take(() => keeper.commit((last) => ({ ...last, logStartOffset: last.logStartOffset + 1 })));
  stop();
  instants.push(world.disk.clone());
  expect(instants.length).toBeGreaterThan(8);
  const random = new SeededRandom(1);
  for (const instant of instants) {
    for (const mode of ["kept", "lost", "torn", "scattered", "scattered"] as const) {
      const disk = instant.clone();
      disk.crash({ mode, random });
      const openings: MemoryDisk[] = [];
      disk.beforeChange(() => openings.push(disk.clone()));
      expectOldOrNew(disk, manifest);
      for (const opening of openings) {
        opening.crash({ mode: "scattered", random });
        expectOldOrNew(opening, manifest);
      }
    }
  }
});

function expectOldOrNew(disk: MemoryDisk, old: Manifest): void {
  const log = worldOn(disk).open({ create: false });
  const first = old.sealed[0]?.nextOffset ?? 0;
  expect([0, first, first + 1]).toContain(log.logStartOffset);
  expect(readAll(log)).toEqual(Array.from({ length: 24 }, (_, n) => `${n}`).slice(log.logStartOffset));
  expect(namesIn(disk).includes(nameOf(segmentAt(0)))).toBe(log.logStartOffset === 0);
  log.abandon();
}

test("compacted segments that no manifest has counted go at open, and so does what the manifest calls obsolete", async () => {
  const { world, manifest } = await closedWorld();
  const strays = [`${segmentAt(0).slice(0, -4)}-1.log`, `${segmentAt(0).slice(0, -4)}-1.index`];
  for (const path of strays) rewrite(world.disk, path, () => Buffer.from("half a compaction"));
  manifestFile(contextOf(world)).replace(withoutFirst(manifest));
  const log = world.open({ create: false });
  expect(readAll(log)).toEqual(Array.from({ length: 24 }, (_, n) => `${n}`).slice(log.logStartOffset));
  for (const path of [...strays, segmentAt(0), indexAt(0)]) expect(world.disk.stat(path)).toBeNull();
  expect(world.trace.of("foreign_file_ignored")).toEqual([]);
});

test("nothing goes at open before the manifest that no longer counts it is durable", async () => {
  const { world, manifest } = await closedWorld();
  world.disk.fail({ operation: "syncFolder", code: "EIO", path: FOLDER });
  expect(() => manifestFile(contextOf(world)).replace(withoutFirst(manifest))).toThrow("EIO");
  world.disk.crash({ mode: "kept" });
  const refusal = world.disk.fail({ operation: "syncFolder", code: "EIO", path: FOLDER });
  expect(() => world.open({ create: false })).toThrow("EIO");
  refusal.assertFired();
  expect(world.disk.stat(segmentAt(0))).not.toBeNull();
});

test("a compacted segment that the manifest counts is read in the place of what it was made of", async () => {
  const { world, manifest } = await closedWorld();
  const [first, ...others] = manifest.sealed;
  if (first === undefined) throw new Error("nothing was sealed");
  const compacted = `${segmentAt(0).slice(0, -4)}-2.log`;
  rewrite(world.disk, compacted, () => world.disk.files().get(segmentAt(0)) ?? Buffer.alloc(0));
  world.disk.syncFolder(FOLDER);
  const sealed = [{ ...first, generation: 2 }, ...others];
  manifestFile(contextOf(world)).replace({ ...manifest, sealed, obsolete: [nameOf(segmentAt(0))] });
  const log = world.open({ create: false });
  expect(readAll(log)).toEqual(Array.from({ length: 24 }, (_, n) => `${n}`));
  expect(world.disk.stat(segmentAt(0))).toBeNull();
  await log.close();
  expect(readAll(world.open({ create: false }))).toHaveLength(24);
});

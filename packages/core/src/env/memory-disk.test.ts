/** What a crash leaves of a memory disk: everything that was synced, and nothing else that could be relied on. */
import { expect, test } from "vitest";
import { DiskError, readSmallFile } from "./disk.ts";
import { MemoryDisk } from "./memory-disk.ts";
import type { Crash } from "./memory-nodes.ts";
import { SeededRandom } from "./random.ts";

const KEPT: Crash = { mode: "kept" };
const LOST: Crash = { mode: "lost" };

/** A disk with a durable folder /d and in it a durable file `a` of the bytes "old". */
function makeDisk(): MemoryDisk {
  const disk = new MemoryDisk();
  for (const gained of disk.makeFolder("/d")) disk.syncFolder(gained);
  put(disk, "/d/a", "old").syncNow();
  disk.syncFolder("/d");
  return disk;
}

function put(disk: MemoryDisk, path: string, text: string, position = 0) {
  const file = disk.openFile(path, { create: "if-missing" });
  file.writeAt(position, Buffer.from(text));
  return file;
}

const textOf = (disk: MemoryDisk, path: string) =>
  readSmallFile(disk, path, 100_000)?.toString("latin1") ?? null;

/** What a path may hold after the same crash of clones of `disk`, over `seeds` draws. */
function outcomes(
  disk: MemoryDisk,
  mode: "torn" | "scattered",
  seeds: number,
  look: (disk: MemoryDisk) => unknown,
) {
  const seen = new Set<string>();
  for (let seed = 0; seed < seeds; seed++) {
    const clone = disk.clone();
    clone.crash({ mode, random: new SeededRandom(seed) });
    seen.add(JSON.stringify(look(clone)));
  }
  return [...seen].sort();
}

test("a power cut takes the bytes that no sync covered, and gives those back that were", () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a", "new and longer");
  expect(textOf(disk, "/d/a")).toBe("new and longer");
  disk.crash(LOST);
  expect(textOf(disk, "/d/a")).toBe("old");

  put(disk, "/d/a", "new and longer").syncNow();
  put(disk, "/d/a", "!", 3).truncate(2);
  disk.crash(LOST);
  expect(textOf(disk, "/d/a")).toBe("new and longer");
  expect(() => file.sizeBytes()).toThrow(DiskError);
});

test("the death of the process alone takes nothing, and makes nothing durable either", () => {
  const disk = makeDisk();
  put(disk, "/d/a", "new");
  put(disk, "/d/b", "name");
  disk.crash(KEPT);
  expect([textOf(disk, "/d/a"), textOf(disk, "/d/b")]).toEqual(["new", "name"]);
  disk.crash(LOST);
  expect([textOf(disk, "/d/a"), textOf(disk, "/d/b")]).toEqual(["old", null]);
});

test("a sync covers what was written before it was called, not what was written while it ran", async () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a", "one");
  disk.holdSyncs();
  const sync = file.sync();
  file.writeAt(3, Buffer.from("two"));
  disk.makeFolder("/d/before");
  const folderSync = disk.syncFolderLater("/d");
  disk.makeFolder("/d/while");
  expect(disk.clone().changeCount).toBe(0);

  const cut = disk.clone();
  cut.crash(LOST);
  expect(textOf(cut, "/d/a"), "a sync that still runs has done nothing").toBe("old");

  disk.releaseSyncs();
  await Promise.all([sync, folderSync]);
  disk.crash(LOST);
  expect(textOf(disk, "/d/a")).toBe("one");
  expect(disk.readFolder("/d").map(({ name }) => name)).toEqual(["a", "before"]);
});

test("a name is durable only once its folder was synced: syncing the file isn't enough", () => {
  const disk = makeDisk();
  put(disk, "/d/b", "synced bytes").syncNow();
  const nameless = disk.clone();
  nameless.crash(LOST);
  expect(textOf(nameless, "/d/b")).toBeNull();
  disk.syncFolder("/d");
  disk.crash(LOST);
  expect(textOf(disk, "/d/b")).toBe("synced bytes");
});

test("a folder whose name is lost takes along everything below it, synced or not", () => {
  const disk = makeDisk();
  disk.makeFolder("/d/e/f");
  put(disk, "/d/e/f/x", "x").syncNow();
  disk.syncFolder("/d/e/f");
  disk.syncFolder("/d/e");
  const cut = disk.clone();
  cut.crash(LOST);
  expect(cut.readFolder("/d").map(({ name }) => name)).toEqual(["a"]);
  disk.syncFolder("/d");
  disk.crash(LOST);
  expect(textOf(disk, "/d/e/f/x")).toBe("x");
});

test("a name that was removed comes back with its durable bytes while the folder is not synced", () => {
  const disk = makeDisk();
  disk.remove("/d/a");
  const cut = disk.clone();
  cut.crash(LOST);
  expect(textOf(cut, "/d/a")).toBe("old");
  disk.syncFolder("/d");
  disk.crash(LOST);
  expect(textOf(disk, "/d/a")).toBeNull();
});

test("a rename that was not synced is done or not, never half; its file may be empty when the bytes weren't synced", () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a.tmp", "new");
  disk.syncFolder("/d");
  disk.rename("/d/a.tmp", "/d/a");
  const look = (after: MemoryDisk) => [textOf(after, "/d/a"), textOf(after, "/d/a.tmp") === null];
  expect(outcomes(disk, "torn", 200, look)).toContain('["",true]');

  file.syncNow();
  expect(outcomes(disk, "torn", 50, look)).toEqual(['["new",true]', '["old",false]']);
});

test("a torn crash keeps a prefix of each file's writes, cut at any byte, and every such prefix happens", () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a", "old");
  file.writeAt(3, Buffer.from("123"));
  file.writeAt(6, Buffer.from("45"));
  const prefixes = ["old", "old1", "old12", "old123", "old1234", "old12345"];
  expect(outcomes(disk, "torn", 400, (after) => textOf(after, "/d/a"))).toEqual(
    prefixes.map((text) => JSON.stringify(text)).sort(),
  );
});

test("a torn crash keeps or loses each change of a name by itself", () => {
  const disk = makeDisk();
  disk.makeFolder("/d/x");
  disk.makeFolder("/d/y");
  const names = (after: MemoryDisk) => after.readFolder("/d").map(({ name }) => name);
  expect(outcomes(disk, "torn", 100, names)).toEqual(['["a","x","y"]', '["a","x"]', '["a","y"]', '["a"]']);
});

test("a scattered crash keeps or loses each page by itself, with zeros in the gaps, but never a synced byte", () => {
  const disk = makeDisk();
  const page = 4096;
  const file = put(disk, "/d/a", "o".repeat(10));
  file.syncNow();
  file.writeAt(10, Buffer.alloc(3 * page, "n"));
  const shapes = outcomes(disk, "scattered", 300, (after) => {
    const text = textOf(after, "/d/a") ?? "";
    expect(text.slice(0, 10)).toBe("o".repeat(10));
    return [0, 1, 2, 3].map((index) => text.charAt(Math.max(10, index * page)));
  });
  expect(shapes).toContain('["n","n","n","n"]');
  expect(shapes).toContain('["","","",""]');
  expect(shapes).toContain('["\\u0000","n","\\u0000","n"]');
  expect(shapes).toContain('["n","\\u0000","\\u0000","\\u0000"]');
});

test("the same seed gives the same crash", () => {
  const disk = makeDisk();
  put(disk, "/d/a", "x".repeat(10_000));
  put(disk, "/d/b", "y".repeat(10_000));
  const once = disk.clone();
  const again = disk.clone();
  once.crash({ mode: "scattered", random: new SeededRandom(7) });
  again.crash({ mode: "scattered", random: new SeededRandom(7) });
  expect(once.files()).toEqual(again.files());
});

test("what survived a power cut is durable", () => {
  for (const mode of ["torn", "scattered"] as const) {
    const disk = makeDisk();
    put(disk, "/d/a", "x".repeat(10_000));
    put(disk, "/d/b", "y");
    disk.crash({ mode, random: new SeededRandom(3) });
    const survived = disk.files();
    expect(disk.unsyncedPaths()).toEqual([]);
    disk.crash(LOST);
    expect(disk.files()).toEqual(survived);
  }
});

test("after a sync that failed, no later sync makes its bytes durable; later bytes it does", async () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a", "1234");
  const failure = disk.fail({ operation: "sync", code: "EIO" });
  await expect(file.sync()).rejects.toMatchObject({ code: "EIO", operation: "sync", path: "/d/a" });
  failure.assertFired();
  expect(textOf(disk, "/d/a"), "the process still sees them").toBe("1234");
  file.writeAt(6, Buffer.from("z"));
  await file.sync();
  disk.crash(LOST);
  expect(textOf(disk, "/d/a")).toBe("old\0\0\0z");
});

test("after a folder's sync that failed, no later one makes its names durable", () => {
  const disk = makeDisk();
  disk.makeFolder("/d/x");
  disk.fail({ operation: "syncFolder", code: "EIO", path: "/d" });
  expect(() => disk.syncFolder("/d")).toThrow("syncFolder of /d failed with EIO");
  disk.makeFolder("/d/y");
  disk.syncFolder("/d");
  disk.crash(LOST);
  expect(disk.readFolder("/d").map(({ name }) => name)).toEqual(["a", "y"]);
});

test("a crash kills every handle, hold and running sync of the life before it", async () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a", "new");
  const lock = await disk.lock("/d", 1);
  disk.holdSyncs();
  const sync = file.sync();
  const folderSync = disk.syncFolderLater("/d");
  const both = Promise.allSettled([sync, folderSync]);
  disk.crash(KEPT);
  expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(() => file.writeAt(0, Buffer.from("x"))).toThrow(expect.objectContaining({ code: "EBADF" }));
  file.close();

  const next = await disk.lock("/d", 2);
  await lock.release();
  await expect(disk.lock("/d", 3), "the dead holder's release frees nothing").rejects.toThrow(
    "in use by process",
  );
  await next.release();
});

test("tells which paths a power cut could still change", () => {
  const disk = makeDisk();
  expect(disk.unsyncedPaths()).toEqual([]);
  const file = put(disk, "/d/b", "b");
  expect(disk.unsyncedPaths()).toEqual(["/d", "/d/b"]);
  file.syncNow();
  expect(disk.unsyncedPaths()).toEqual(["/d"]);
  disk.syncFolder("/d");
  expect(disk.unsyncedPaths()).toEqual([]);
});

/** What a crash leaves of a memory disk: everything that was synced, and nothing else that could be relied on. */
import { expect, test } from "vitest";
import { DiskError, readSmallFile } from "./disk.ts";
import { CrashSignal } from "./fault-points.ts";
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

test("a disk without power answers nothing and changes nothing until it is started again", async () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a", "new");
  disk.powerOff();
  const calls = [
    () => file.writeAt(0, Buffer.from("x")),
    () => file.syncNow(),
    () => file.readAt(0, 1),
    () => disk.remove("/d/a"),
    () => disk.rename("/d/a", "/d/b"),
    () => disk.makeFolder("/d/x"),
    () => disk.openFile("/d/a"),
    () => disk.readFolder("/d"),
    () => disk.syncFolder("/d"),
    () => disk.stat("/d"),
  ];
  for (const call of calls) expect(call).toThrow(CrashSignal);
  await expect(file.sync()).rejects.toBeInstanceOf(CrashSignal);
  file.close();
  disk.crash(KEPT);
  expect([textOf(disk, "/d/a"), disk.readFolder("/d").length]).toEqual(["new", 1]);
});

test("a listener hears of every change before it happens, and a throw stops it there", async () => {
  const disk = makeDisk();
  const heard: string[] = [];
  const stop = disk.beforeChange((change, index) => {
    heard.push(
      `${index} ${change.kind} ${change.path} ${disk.clone().files().get("/d/b")?.toString() ?? "-"}`,
    );
    if (change.kind === "truncate") throw new CrashSignal("truncate");
  });
  const first = disk.changeCount;
  const file = put(disk, "/d/b", "b");
  await file.sync();
  file.syncNow();
  await disk.syncFolderLater("/d");
  expect(() => file.truncate(0)).toThrow(CrashSignal);
  disk.makeFolder("/d/x");
  disk.removeFolder("/d/x");
  disk.rename("/d/b", "/d/c");
  disk.remove("/d/c");
  stop();
  disk.makeFolder("/d/unheard");
  const said = [
    "create /d/b -",
    "write /d/b ",
    "sync /d/b b",
    "sync /d/b b",
    "syncFolder /d b",
    "truncate /d/b b",
    "makeFolder /d/x b",
    "removeFolder /d/x b",
    "rename /d/b b",
    "remove /d/c -",
  ];
  expect(heard).toEqual(said.map((line, index) => `${first + index - (index > 5 ? 1 : 0)} ${line}`));
});

test("a clone at every change gives every state that a crash can start from", () => {
  const disk = makeDisk();
  const states: (string | null)[] = [];
  disk.beforeChange(() => {
    const clone = disk.clone();
    clone.crash(KEPT);
    states.push(textOf(clone, "/d/a"));
  });
  const file = put(disk, "/d/a", "1");
  file.writeAt(1, Buffer.from("2"));
  file.truncate(1);
  disk.remove("/d/a");
  disk.syncFolder("/d");
  expect(states).toEqual(["old", "1ld", "12d", "1", null]);
});

test("a clone and its original change without the other's knowledge", () => {
  const disk = makeDisk();
  put(disk, "/d/a", "both");
  const clone = disk.clone();
  put(clone, "/d/a", "clone").syncNow();
  put(disk, "/d/a", "original");
  clone.makeFolder("/d/clone");
  disk.remove("/d/a");
  expect(textOf(clone, "/d/a")).toBe("clone");
  expect(disk.readFolder("/d")).toEqual([]);
  clone.crash(LOST);
  disk.crash(LOST);
  expect([textOf(clone, "/d/a"), textOf(disk, "/d/a")]).toEqual(["clone", "old"]);
});

test("a write that fails for lack of space may have written a part", () => {
  const disk = makeDisk();
  const file = put(disk, "/d/a", "old");
  const failure = disk.fail({ operation: "write", code: "ENOSPC", path: "/d/a", bytesWritten: 2 });
  expect(() => file.writeAt(3, Buffer.from("12345"))).toThrow(
    "write of /d/a failed with ENOSPC: no space left",
  );
  expect(textOf(disk, "/d/a")).toBe("old12");
  file.writeAt(3, Buffer.from("9"));
  expect([textOf(disk, "/d/a"), failure.hits, failure.fired]).toEqual(["old92", 2, 1]);
});

test("a failure acts on the calls that it was armed for, by kind, path and count, and says so", () => {
  const disk = makeDisk();
  const silent = disk.fail({ operation: "remove", code: "EIO" });
  const third = disk.fail({ operation: "stat", code: "EIO", times: { nth: 3 } });
  const firstTwo = disk.fail({ operation: "readFolder", code: "EMFILE", path: /^\/d/, times: { first: 2 } });
  const stat = () => disk.stat("/d");
  expect(stat()).not.toBeNull();
  expect(stat()).not.toBeNull();
  expect(stat).toThrow("EIO");
  expect(stat()).not.toBeNull();
  disk.readFolder("/");
  for (let call = 0; call < 2; call++)
    expect(() => disk.readFolder("/d")).toThrow("EMFILE: this process has too many");
  disk.readFolder("/d");
  expect([third.fired, firstTwo.hits, firstTwo.fired]).toEqual([1, 3, 2]);
  expect(() => silent.assertFired()).toThrow("the failure of remove with EIO never fired, after 0 hits");
});

test("the nth change can be made to fail, for each n until a run has no nth", () => {
  const run = (disk: MemoryDisk) => {
    const file = put(disk, "/d/b", "b");
    file.syncNow();
    disk.rename("/d/b", "/d/c");
    disk.syncFolder("/d");
  };
  const failed: string[] = [];
  for (let nth = 1; ; nth++) {
    const disk = makeDisk();
    const failure = disk.fail({ operation: "change", code: "EIO", times: { nth } });
    try {
      run(disk);
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      failed.push(problem.operation);
    }
    if (failure.fired === 0) break;
  }
  expect(failed).toEqual(["create", "write", "sync", "rename", "syncFolder"]);
});

test("failures that always act end when they are disarmed", () => {
  const disk = makeDisk();
  disk.fail({ operation: "any", code: "EIO", times: "always" });
  expect(() => disk.stat("/d")).toThrow("EIO");
  expect(() => disk.makeFolder("/d/x")).toThrow("EIO");
  disk.stopFailing();
  disk.makeFolder("/d/x");
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

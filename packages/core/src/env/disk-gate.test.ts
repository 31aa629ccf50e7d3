/** How a memory disk is watched, copied, stopped and made to fail. */
import { expect, test } from "vitest";
import { DiskError, readSmallFile } from "./disk.ts";
import { CrashSignal } from "./fault-order.ts";
import { MemoryDisk } from "./memory-disk.ts";
import type { Crash } from "./memory-nodes.ts";

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

function put(disk: MemoryDisk, path: string, text: string) {
  const file = disk.openFile(path, { create: "if-missing" });
  file.writeAt(0, Buffer.from(text));
  return file;
}

const textOf = (disk: MemoryDisk, path: string) => readSmallFile(disk, path, 1000)?.toString() ?? null;

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

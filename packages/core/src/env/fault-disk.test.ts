import { expect, test } from "vitest";
import { DiskError, readSmallFile } from "./disk.ts";
import { FaultDisk } from "./fault-disk.ts";
import type { FaultOrder } from "./fault-order.ts";
import type { FaultDiskOperation } from "./fault-point.ts";
import { FaultPoints } from "./fault-points.ts";
import { MemoryDisk } from "./memory-disk.ts";

const PATH = "/data/a";

function faultyDisk() {
  const below = new MemoryDisk();
  below.makeFolder("/data");
  const faults = new FaultPoints();
  const disk = new FaultDisk(below, faults, (path) => ({ topic: path.slice("/data/".length) }));
  return { below, faults, disk };
}

/** Each change of a disk once, on a disk that has what it needs; `isDone` tells whether it was done. */
const CHANGES: readonly {
  operation: FaultDiskOperation;
  act: (disk: FaultDisk) => void;
  isDone: (below: MemoryDisk) => boolean;
}[] = [
  {
    operation: "write",
    act: (disk) => disk.openFile("/data/there").writeAt(0, Buffer.from("new")),
    isDone: (below) => readSmallFile(below, "/data/there", 10)?.toString() === "new",
  },
  {
    operation: "truncate",
    act: (disk) => disk.openFile("/data/there").truncate(1),
    isDone: (below) => below.stat("/data/there")?.sizeBytes === 1,
  },
  {
    operation: "sync",
    act: (disk) => disk.openFile("/data/there").syncNow(),
    isDone: (below) => !below.unsyncedPaths().includes("/data/there"),
  },
  {
    operation: "create",
    act: (disk) => disk.openFile(PATH, { create: "if-missing" }),
    isDone: (below) => below.stat(PATH) !== null,
  },
  {
    operation: "rename",
    act: (disk) => disk.rename("/data/there", PATH),
    isDone: (below) => below.stat(PATH) !== null,
  },
  {
    operation: "remove",
    act: (disk) => disk.remove("/data/there"),
    isDone: (below) => below.stat("/data/there") === null,
  },
  {
    operation: "make_folder",
    act: (disk) => disk.makeFolder(PATH),
    isDone: (below) => below.stat(PATH) !== null,
  },
  {
    operation: "remove_folder",
    act: (disk) => disk.removeFolder("/data/empty"),
    isDone: (below) => below.stat("/data/empty") === null,
  },
  {
    operation: "sync_folder",
    act: (disk) => disk.syncFolder("/data"),
    isDone: (below) => !below.unsyncedPaths().includes("/data"),
  },
];

function diskWithAll() {
  const parts = faultyDisk();
  parts.below.makeFolder("/data/empty");
  parts.below.openFile("/data/there", { create: "exclusive" }).writeAt(0, Buffer.from("old"));
  return parts;
}

function codeOf(act: () => void): string {
  try {
    act();
    return "no error";
  } catch (problem) {
    return problem instanceof DiskError ? problem.code : "?";
  }
}

test.each(CHANGES)(
  "$operation is not done where it fails before, and done where it fails after",
  (change) => {
    const failing = (when: "before" | "after") => {
      const { below, faults, disk } = diskWithAll();
      const rule = faults.arm({
        point: `disk.${change.operation}.${when}`,
        action: "error",
        errno: "ENOSPC",
      });
      expect(codeOf(() => change.act(disk))).toBe("ENOSPC");
      rule.assertFired();
      return { below, disk };
    };
    const before = failing("before");
    expect(change.isDone(before.below)).toBe(false);
    change.act(before.disk);
    expect(change.isDone(before.below)).toBe(true);
    expect(change.isDone(failing("after").below)).toBe(true);
  },
);

test("a short write writes its first bytes and fails", () => {
  const { below, faults, disk } = faultyDisk();
  const file = disk.openFile(PATH, { create: "exclusive" });
  faults.arm({ point: "disk.write.before", action: "error", errno: "ENOSPC", bytesWritten: 3 });
  expect(codeOf(() => file.writeAt(0, Buffer.from("hello")))).toBe("ENOSPC");
  expect(readSmallFile(below, PATH, 10)?.toString()).toBe("hel");
  file.writeAt(0, Buffer.from("hello"));
  expect(readSmallFile(below, PATH, 10)?.toString()).toBe("hello");
});

test("an error says which operation failed, and of which file", () => {
  const failureOf = (point: FaultOrder["point"], act: (disk: FaultDisk) => void) => {
    const { faults, disk } = diskWithAll();
    faults.arm({ point, action: "error" });
    try {
      act(disk);
      return null;
    } catch (problem) {
      return problem;
    }
  };
  expect(failureOf("disk.sync.before", (disk) => disk.openFile("/data/there").syncNow())).toMatchObject({
    operation: "sync",
    path: "/data/there",
  });
  expect(failureOf("disk.sync_folder.after", (disk) => disk.openFolder("/data").syncNow())).toMatchObject({
    operation: "syncFolder",
    path: "/data",
  });
});

test("a rule for one topic fails only what lies at its paths", () => {
  const { faults, disk } = faultyDisk();
  const rule = faults.arm({ point: "disk.create.before", action: "error", site: { topic: "b" } });
  disk.openFile(PATH, { create: "exclusive" });
  expect(codeOf(() => disk.openFile("/data/b", { create: "exclusive" }))).toBe("EIO");
  expect([rule.hits, rule.fired]).toEqual([1, 1]);
});

test("what changes nothing passes no point, and what fails to be created leaves no handle", () => {
  const { below, faults, disk } = diskWithAll();
  const counts = faults.countHits();
  const file = disk.openFile("/data/there", { create: "if-missing" });
  disk.makeFolder("/data/empty");
  expect([file.sizeBytes(), file.readAt(0, 3).toString(), disk.stat(PATH)]).toEqual([3, "old", null]);
  expect([...counts]).toEqual([]);
  const open = below.openFiles.now;
  faults.arm({ point: "disk.create.after", action: "error" });
  expect(codeOf(() => disk.openFile(PATH, { create: "exclusive" }))).toBe("EIO");
  expect(below.openFiles.now).toBe(open);
});

test("nobody is asked whose a file is while nothing is armed or counted", () => {
  const faults = new FaultPoints();
  const asked: string[] = [];
  const disk = new FaultDisk(new MemoryDisk(), faults, (path) => {
    asked.push(path);
    return undefined;
  });
  disk.makeFolder("/data");
  disk.openFile(PATH, { create: "exclusive" }).writeAt(0, Buffer.from("x"));
  expect(asked).toEqual([]);
  faults.countHits();
  disk.remove(PATH);
  expect(asked).toContain(PATH);
});

test("a sync that is held has synced nothing, covers what is written meanwhile, and outlives its handle", async () => {
  const { below, faults, disk } = faultyDisk();
  const rule = faults.arm({ point: "disk.sync.before", action: "hold" });
  const file = disk.openFile(PATH, { create: "exclusive" });
  const sync = file.sync();
  file.writeAt(0, Buffer.from("x"));
  file.close();
  expect(codeOf(() => file.sizeBytes())).toBe("EBADF");
  await expect(file.sync()).rejects.toMatchObject({ code: "EBADF" });
  expect([rule.held, below.openFiles.now, below.unsyncedPaths()]).toEqual([1, 1, ["/", "/data", PATH]]);
  rule.release();
  await sync;
  expect([below.openFiles.now, below.unsyncedPaths()]).toEqual([0, ["/", "/data"]]);
});

test("the sync of a folder that is held after it was done is done, and outlives its handle", async () => {
  const { below, faults, disk } = faultyDisk();
  const rule = faults.arm({ point: "disk.sync_folder.after", action: "hold" });
  const folder = await disk.openFolderLater("/data");
  const sync = folder.sync();
  folder.close();
  await expect(folder.sync()).rejects.toMatchObject({ code: "EBADF" });
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  expect([rule.held, below.unsyncedPaths()]).toEqual([1, ["/"]]);
  rule.release();
  await sync;
  await disk.syncFolderLater("/");
  expect(below.unsyncedPaths()).toEqual([]);
});

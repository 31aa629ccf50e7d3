/** What Disk promises, run against every disk: the crash tests of this project are worth as much as their agreement. */
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AssertionFailure } from "../assert.ts";
import { BoundedDisk, OPEN_FILES_MIN } from "./bounded-disk.ts";
import { type Disk, DiskError, type DiskFile, FolderHeldError, readSmallFile } from "./disk.ts";
import { FaultDisk } from "./fault-disk.ts";
import { FaultPoints } from "./fault-points.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { NodeDisk } from "./node-disk.ts";
import { PromptDisk } from "./prompt-disk.ts";

let disk: Disk;
let folder: string;

function makeMemory(): () => void {
  disk = new MemoryDisk();
  folder = "/data";
  disk.makeFolder(folder);
  return () => {};
}

function makeReal(): () => void {
  disk = new NodeDisk();
  folder = mkdtempSync(join(tmpdir(), "minikafka-disk-"));
  return () => rmSync(folder, { recursive: true, force: true });
}

/** As tight as it can be. */
function makeBounded(make: () => () => void): () => () => void {
  return () => {
    const clean = make();
    disk = new BoundedDisk(disk, OPEN_FILES_MIN);
    return clean;
  };
}

/** Every pass is looked at. */
function makeWatched(make: () => () => void): () => () => void {
  return () => {
    const clean = make();
    const faults = new FaultPoints();
    faults.countHits();
    disk = new FaultDisk(disk, faults);
    return clean;
  };
}

/** Whose syncs are over when they are asked for. */
function makePrompt(make: () => () => void): () => () => void {
  return () => {
    const clean = make();
    disk = new PromptDisk(disk);
    return clean;
  };
}

/** The code of the DiskError that `act` fails with. */
function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (problem) {
    if (problem instanceof DiskError) return problem.code;
    throw problem;
  }
  return "no error";
}

function fileOf(name: string, text = ""): DiskFile {
  const file = disk.openFile(`${folder}/${name}`, { create: "if-missing" });
  file.writeAt(0, Buffer.from(text));
  return file;
}

const textOf = (name: string) => readSmallFile(disk, `${folder}/${name}`, 1000)?.toString() ?? null;

describe.each([
  { name: "the memory disk", make: makeMemory },
  { name: "the real disk", make: makeReal },
  { name: "the memory disk with few descriptors", make: makeBounded(makeMemory) },
  { name: "the real disk with few descriptors", make: makeBounded(makeReal) },
  { name: "the memory disk with fault points", make: makeWatched(makeMemory) },
  { name: "the real disk with fault points", make: makeWatched(makeReal) },
  { name: "the real disk that syncs promptly", make: makePrompt(makeReal) },
])("$name", ({ make }) => {
  let clean: () => void;
  beforeEach(() => {
    clean = make();
  });
  afterEach(() => clean());

  test("reads at a position what was written there, and less only where the file ends", () => {
    const file = fileOf("a", "hello");
    file.writeAt(3, Buffer.from("p!"));
    expect(file.readAt(0, 5).toString()).toBe("help!");
    expect(file.readAt(3, 100).toString()).toBe("p!");
    expect(file.readAt(5, 1)).toHaveLength(0);
    expect(file.readAt(1000, 1)).toHaveLength(0);
    expect(file.readAt(0, 0)).toHaveLength(0);
    expect(file.sizeBytes()).toBe(5);
  });

  test("reads a gap as zeros, also where bytes lay before a truncation", () => {
    const file = fileOf("a", "secret");
    file.truncate(1);
    file.writeAt(4, Buffer.from("x"));
    expect([...file.readAt(0, 10)]).toEqual([0x73, 0, 0, 0, 0x78]);
    file.truncate(2);
    file.truncate(4);
    expect([...file.readAt(0, 10)]).toEqual([0x73, 0, 0, 0]);
  });

  test("takes the bytes of a write before it returns, and gives fresh ones to each read", () => {
    const file = fileOf("a");
    const bytes = Buffer.from("abc");
    file.writeAt(0, bytes);
    bytes.fill("z");
    const read = file.readAt(0, 3);
    expect(read.toString()).toBe("abc");
    read.fill("y");
    expect(file.readAt(0, 3).toString()).toBe("abc");
  });

  test("writes nothing, and grows nothing, for an empty write", () => {
    const file = fileOf("a");
    file.writeAt(10, Buffer.alloc(0));
    expect(file.sizeBytes()).toBe(0);
  });

  test("opens what exists, and creates only when asked", () => {
    expect(codeOf(() => disk.openFile(`${folder}/a`))).toBe("ENOENT");
    expect(codeOf(() => disk.openFile(`${folder}/a`, { readOnly: true, create: "if-missing" }))).toBe(
      "ENOENT",
    );
    fileOf("a", "text").close();
    expect(codeOf(() => disk.openFile(`${folder}/a`, { create: "exclusive" }))).toBe("EEXIST");
    expect(disk.openFile(`${folder}/a`, { create: "if-missing" }).sizeBytes()).toBe(4);
    disk.openFile(`${folder}/b`, { create: "exclusive" }).close();
    expect(disk.stat(`${folder}/b`)).toMatchObject({ kind: "file", sizeBytes: 0 });
  });

  test("tells a file from another one in its place, and knows it again under another name", () => {
    const file = fileOf("a", "text");
    expect(disk.stat(`${folder}/a`)?.identity).toBe(file.identity);
    disk.rename(`${folder}/a`, `${folder}/b`);
    fileOf("a", "text").close();
    expect(disk.stat(`${folder}/a`)?.identity).not.toBe(file.identity);
    expect(disk.stat(`${folder}/b`)?.identity).toBe(file.identity);
    expect(disk.openFile(`${folder}/b`).identity).toBe(file.identity);
  });

  test("refuses to open a folder, and a path through a file or a missing folder", () => {
    fileOf("a").close();
    expect(codeOf(() => disk.openFile(folder))).toBe("EISDIR");
    expect(codeOf(() => disk.openFile(folder, { readOnly: true }))).toBe("EISDIR");
    expect(codeOf(() => disk.openFile(`${folder}/a/b`, { create: "if-missing" }))).toBe("ENOTDIR");
    expect(codeOf(() => disk.openFile(`${folder}/no/b`, { create: "if-missing" }))).toBe("ENOENT");
  });

  test("lets two handles of a file see each other's writes", () => {
    const one = fileOf("a", "one");
    const other = disk.openFile(`${folder}/a`, { readOnly: true });
    one.writeAt(3, Buffer.from("!"));
    expect(other.readAt(0, 10).toString()).toBe("one!");
  });

  test("refuses every use of a closed file with EBADF, but for closing it again", async () => {
    const file = fileOf("a", "text");
    file.close();
    file.close();
    expect(codeOf(() => file.readAt(0, 1))).toBe("EBADF");
    expect(codeOf(() => file.writeAt(0, Buffer.from("x")))).toBe("EBADF");
    expect(codeOf(() => file.truncate(0))).toBe("EBADF");
    expect(codeOf(() => file.sizeBytes())).toBe("EBADF");
    expect(codeOf(() => file.syncNow())).toBe("EBADF");
    await expect(file.sync()).rejects.toMatchObject({ code: "EBADF", operation: "sync" });
  });

  test("lets a sync under way finish when its file is closed", async () => {
    const file = fileOf("a", "text");
    const syncs = [file.sync(), file.sync()];
    file.close();
    await Promise.all(syncs);
    expect(textOf("a")).toBe("text");
  });

  test("refuses to write through a read-only handle", () => {
    fileOf("a", "text").close();
    const file = disk.openFile(`${folder}/a`, { readOnly: true });
    expect(codeOf(() => file.writeAt(0, Buffer.from("x")))).toBe("EBADF");
    expect(["EBADF", "EINVAL", "EPERM"]).toContain(codeOf(() => file.truncate(0)));
    expect(textOf("a")).toBe("text");
  });

  test("takes only whole, non-negative positions and sizes", () => {
    const file = fileOf("a");
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => file.readAt(wrong, 1)).toThrow(AssertionFailure);
      expect(() => file.readAt(0, wrong)).toThrow(AssertionFailure);
      expect(() => file.writeAt(wrong, Buffer.from("x"))).toThrow(AssertionFailure);
      expect(() => file.truncate(wrong)).toThrow(AssertionFailure);
    }
  });

  test("lists a folder sorted by name, with kinds", () => {
    for (const name of ["b", "a10", "a2", "B"]) fileOf(name).close();
    disk.makeFolder(`${folder}/a`);
    expect(disk.readFolder(folder)).toEqual([
      { name: "B", kind: "file" },
      { name: "a", kind: "folder" },
      { name: "a10", kind: "file" },
      { name: "a2", kind: "file" },
      { name: "b", kind: "file" },
    ]);
    expect(codeOf(() => disk.readFolder(`${folder}/b`))).toBe("ENOTDIR");
    expect(codeOf(() => disk.readFolder(`${folder}/no`))).toBe("ENOENT");
  });

  test("says what is at a path, and null for nothing, also below a file", () => {
    fileOf("a", "text").close();
    expect(disk.stat(`${folder}/a`)).toMatchObject({ kind: "file", sizeBytes: 4 });
    expect(disk.stat(folder)).toMatchObject({ kind: "folder", sizeBytes: 0 });
    expect(disk.stat(`${folder}/no`)).toBeNull();
    expect(disk.stat(`${folder}/a/b`)).toBeNull();
  });

  test("makes a folder with the parents that it lacks, and says which folders gained a name", () => {
    expect(disk.makeFolder(`${folder}/a/b/c`)).toEqual([folder, `${folder}/a`, `${folder}/a/b`]);
    expect(disk.makeFolder(`${folder}/a/b/d`)).toEqual([`${folder}/a/b`]);
    expect(disk.makeFolder(`${folder}/a/b`)).toEqual([]);
    fileOf("f").close();
    expect(codeOf(() => disk.makeFolder(`${folder}/f`))).toBe("EEXIST");
    expect(codeOf(() => disk.makeFolder(`${folder}/f/g`))).toBe("ENOTDIR");
    expect(codeOf(() => disk.makeFolder(`${folder}/f/g/h`))).toBe("ENOTDIR");
  });

  test("renames a file over another, and a folder to a free name of its folder only", () => {
    fileOf("a", "new").close();
    fileOf("b", "old").close();
    disk.rename(`${folder}/a`, `${folder}/b`);
    expect([textOf("a"), textOf("b")]).toEqual([null, "new"]);
    disk.rename(`${folder}/b`, `${folder}/b`);
    expect(textOf("b")).toBe("new");

    disk.makeFolder(`${folder}/c/deep`);
    disk.makeFolder(`${folder}/d`);
    expect(codeOf(() => disk.rename(`${folder}/c`, `${folder}/d`))).toBe("EEXIST");
    disk.rename(`${folder}/c`, `${folder}/e`);
    expect(disk.stat(`${folder}/e/deep`)?.kind).toBe("folder");
    expect(codeOf(() => disk.rename(`${folder}/b`, `${folder}/d`))).toBe("EISDIR");
    expect(codeOf(() => disk.rename(`${folder}/no`, `${folder}/x`))).toBe("ENOENT");
    expect(() => disk.rename(`${folder}/b`, `${folder}/d/b`)).toThrow(AssertionFailure);
  });

  test("removes files by remove and empty folders by removeFolder, never the other way", () => {
    fileOf("a").close();
    disk.makeFolder(`${folder}/full/inner`);
    expect(codeOf(() => disk.removeFolder(`${folder}/full`))).toBe("ENOTEMPTY");
    expect(codeOf(() => disk.removeFolder(`${folder}/a`))).toBe("ENOTDIR");
    expect(["EISDIR", "EPERM"]).toContain(codeOf(() => disk.remove(`${folder}/full`)));
    disk.remove(`${folder}/a`);
    disk.removeFolder(`${folder}/full/inner`);
    disk.removeFolder(`${folder}/full`);
    expect(disk.readFolder(folder)).toEqual([]);
    expect(codeOf(() => disk.remove(`${folder}/a`))).toBe("ENOENT");
    expect(codeOf(() => disk.removeFolder(`${folder}/full`))).toBe("ENOENT");
  });

  test("syncs folders, at once and later, and refuses to sync what is not there", async () => {
    disk.syncFolder(folder);
    await disk.syncFolderLater(folder);
    expect(codeOf(() => disk.syncFolder(`${folder}/no`))).toBe("ENOENT");
    await expect(disk.syncFolderLater(`${folder}/no`)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("syncs a folder that is open, also one that is closed meanwhile, and refuses one that was closed", async () => {
    for (const open of [() => disk.openFolder(folder), () => disk.openFolderLater(folder)]) {
      const opened = await open();
      fileOf("a", "a").close();
      opened.syncNow();
      disk.rename(`${folder}/a`, `${folder}/b`);
      const synced = opened.sync();
      opened.close();
      opened.close();
      await synced;
      if (disk instanceof MemoryDisk) expect(disk.unsyncedPaths()).not.toContain(folder);
      if (process.platform === "win32") continue;
      expect(codeOf(() => opened.syncNow())).toBe("EBADF");
      await expect(opened.sync()).rejects.toMatchObject({ code: "EBADF" });
      disk.remove(`${folder}/b`);
    }
    if (process.platform !== "win32")
      expect(codeOf(() => disk.openFolder(`${folder}/nowhere`))).toBe("ENOENT");
  });

  test("reads a small file whole, and refuses one that is larger than allowed", () => {
    fileOf("a", "12345").close();
    expect(readSmallFile(disk, `${folder}/a`, 5)?.toString()).toBe("12345");
    expect(readSmallFile(disk, `${folder}/no`, 5)).toBeNull();
    expect(codeOf(() => readSmallFile(disk, `${folder}/a`, 4))).toBe("EFBIG");
    expect(codeOf(() => readSmallFile(disk, folder, 4))).toBe("EISDIR");
  });

  test("says in one sentence what failed, where and why", () => {
    const open = () => disk.openFile(`${folder}/a`);
    expect(open).toThrow(`open of ${folder}/a failed with ENOENT: no such file or folder`);
    expect(open).toThrow(
      expect.objectContaining({ name: "DiskError", operation: "open", path: `${folder}/a` }),
    );
  });

  test("gives a folder to one holder, names it to the next, and frees it when it is released", async () => {
    const lock = await disk.lock(folder, 1_700_000_000_000);
    const refusal: unknown = await disk.lock(folder, 1).catch((problem: unknown) => problem);
    expect(refusal).toBeInstanceOf(FolderHeldError);
    expect(refusal).toMatchObject({
      folder,
      holder: { pid: process.pid, startedAtMs: 1_700_000_000_000, host: hostname() },
      message: `${folder} is in use by process ${process.pid} on ${hostname()}, since 2023-11-14T22:13:20.000Z`,
    });
    await lock.release();
    await lock.release();
    expect(disk.readFolder(folder).filter(({ name }) => name !== "lock.hold")).toEqual([]);
    await (await disk.lock(folder, 2)).release();
  });

  test("refuses a second holder also when the lock file is missing or says nothing", async () => {
    const lock = await disk.lock(folder, 1);
    for (const text of ["", "{", "[]", '{"pid":"7"}', "x".repeat(10_000)]) {
      disk.remove(`${folder}/lock`);
      fileOf("lock", text).close();
      await expect(disk.lock(folder, 2)).rejects.toMatchObject({ name: "FolderHeldError", holder: null });
    }
    disk.remove(`${folder}/lock`);
    await expect(disk.lock(folder, 2)).rejects.toThrow("another process, which has not named itself yet");
    await lock.release();
  });

  test("takes a folder over whose lock file was left by a process that is gone", async () => {
    fileOf("lock", `{"pid":1,"started_at":5,"host":"${"h".repeat(200)}"}`).close();
    const lock = await disk.lock(folder, 6);
    expect(JSON.parse(textOf("lock") ?? "")).toEqual({ pid: process.pid, started_at: 6, host: hostname() });
    await lock.release();
  });

  test("lets go of a folder in which it cannot write its name", async () => {
    disk.makeFolder(`${folder}/lock`);
    await expect(disk.lock(folder, 1)).rejects.toMatchObject({ name: "DiskError", code: "EISDIR" });
    disk.removeFolder(`${folder}/lock`);
    await (await disk.lock(folder, 1)).release();
    await expect(disk.lock(`${folder}/no`, 1)).rejects.toMatchObject({ name: "DiskError", code: "ENOENT" });
  });
});

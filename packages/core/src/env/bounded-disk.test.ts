/** Few descriptors, many files: who uses one notices nothing, and the disk below never sees more than the budget. */
import { expect, test } from "vitest";
import { BoundedDisk } from "./bounded-disk.ts";
import { DiskError, type DiskFile } from "./disk.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { SeededRandom } from "./random.ts";

const SEED = Number(process.env.MINIKAFKA_TEST_SEED ?? 31_337);
const BUDGET = 10;

function bounded(): { memory: MemoryDisk; disk: BoundedDisk; make(name: string, text?: string): DiskFile } {
  const memory = new MemoryDisk();
  const disk = new BoundedDisk(memory, BUDGET);
  const make = (name: string, text = "") => {
    const file = disk.openFile(`/${name}`, { create: "if-missing" });
    if (text !== "") file.writeAt(0, Buffer.from(text));
    return file;
  };
  return { memory, disk, make };
}

const codeOf = (problem: unknown) => (problem instanceof DiskError ? problem.code : String(problem));
const namesUpTo = (count: number) => Array.from({ length: count }, (_, n) => `file-${n}`);

/** As many files as are synced at once: until the next turn of the event loop none of them can give anything up. */
function makeSyncing(make: (name: string, text: string) => DiskFile): void {
  for (const name of ["syncing-1", "syncing-2"]) void make(name, name).sync();
}

test("hundreds of files are read and written through a few descriptors", async () => {
  const { memory, make } = bounded();
  const files = namesUpTo(300).map((name) => make(name, name));
  for (const file of files.toReversed()) file.writeAt(file.sizeBytes(), Buffer.from("!"));
  await Promise.all(files.map((file) => file.sync()));
  for (const file of files) expect(`/${file.readAt(0, 100)}`).toBe(`${file.path}!`);
  expect(memory.openFiles.peak).toBeLessThanOrEqual(BUDGET);
  for (const file of files) file.close();
  expect(memory.openFiles.now).toBe(0);
});

test("what is written is synced before its descriptor is given up, and what is synced goes first", () => {
  const { memory, make } = bounded();
  makeSyncing(make);
  const written = make("written", "a");
  const synced = make("synced", "b");
  synced.syncNow();
  const unsynced = () => memory.unsyncedPaths().filter((path) => !/^\/$|syncing/.test(path));
  let opened = 0;
  for (; memory.openFiles.now < BUDGET && opened < 2 * BUDGET; opened++) make(`reader-${opened}`);
  expect(unsynced()).toEqual(["/written"]);
  for (let n = 0; n < BUDGET; n++) make(`writer-${n}`, "c");
  expect(unsynced()).not.toContain("/written");
  expect(unsynced().length).toBeGreaterThan(0);
  expect([written.readAt(0, 9).toString(), synced.readAt(0, 9).toString()]).toEqual(["a", "b"]);
});

test("a sync that failed when a descriptor was given up is told to who asks for that file's next sync", async () => {
  const { memory, make } = bounded();
  makeSyncing(make);
  const file = make("unlucky", "a");
  const failure = memory.fail({ operation: "sync", code: "EIO", path: "/unlucky" });
  const others = namesUpTo(20).map((name) => make(name, name));
  expect(failure.hits).toBe(1);
  for (const other of others) await other.sync();
  expect(file.readAt(0, 9).toString()).toBe("a");
  for (let again = 0; again < 2; again++) {
    await expect(file.sync()).rejects.toMatchObject({ operation: "sync", path: "/unlucky", code: "EIO" });
    expect(() => file.syncNow()).toThrow(DiskError);
  }
});

test("when many files wait for a sync, some get theirs before anybody asks, and a failure is not lost", async () => {
  const { memory, make } = bounded();
  const first = make("first", "a");
  const failure = memory.fail({ operation: "sync", code: "EIO", path: "/first" });
  const changed = namesUpTo(BUDGET / 2).map((name) => make(name, name));
  await new Promise((resolve) => setImmediate(resolve));
  expect(failure.hits).toBe(1);
  expect(memory.openFiles.now).toBe(1 + changed.length);
  await expect(first.sync()).rejects.toMatchObject({ code: "EIO" });
});

test("a file that was removed while it had no descriptor is missed by its next use", () => {
  const { memory, make } = bounded();
  makeSyncing(make);
  const file = make("gone", "a");
  for (const name of namesUpTo(20)) make(name, name);
  memory.remove("/gone");
  expect(() => file.readAt(0, 1)).toThrow("open of /gone failed with ENOENT");
  expect(() => file.writeAt(0, Buffer.from("b"))).toThrow("ENOENT");
});

test("where the system has no descriptor left, idle files give up theirs and the call is made once more", async () => {
  const { memory, disk, make } = bounded();
  disk.makeFolder("/folder");
  const files = namesUpTo(6).map((name) => make(name, name));
  for (const [operation, act] of [
    ["open", () => make("one more", "text")],
    ["readFolder", () => disk.readFolder("/")],
    ["syncFolder", () => disk.syncFolder("/folder")],
    ["open", () => disk.syncFolderLater("/folder")],
    ["open", () => disk.openFolder("/folder").close()],
  ] as const) {
    for (const file of files) file.sizeBytes();
    const before = memory.openFiles.now;
    const failure = memory.fail({ operation, code: operation === "open" ? "EMFILE" : "ENFILE" });
    await act();
    expect(failure.hits).toBeGreaterThan(0);
    expect(memory.openFiles.now).toBeLessThan(before);
  }
  for (const [n, file] of files.entries()) expect(file.readAt(0, 9).toString()).toBe(`file-${n}`);
});

test("folders that are open for a sync wait for each other, and never for themselves", async () => {
  const { memory, disk } = bounded();
  const names = namesUpTo(40).map((name) => `/${name}`);
  for (const name of names) disk.makeFolder(name);
  await Promise.all(
    names.map(async (name) => {
      const folder = await disk.openFolderLater(name);
      await folder.sync();
      folder.close();
      await disk.syncFolderLater(name);
    }),
  );
  await expect(disk.openFolderLater("/nowhere")).rejects.toMatchObject({ code: "ENOENT" });
  await disk.syncFolderLater("/");
  expect(memory.unsyncedPaths()).toEqual([]);
  expect(memory.openFiles.now).toBe(0);
  expect(memory.openFiles.peak).toBeLessThanOrEqual(BUDGET / 4);
});

test("with nothing left to give up, the lack of descriptors is the caller's to know", () => {
  const { memory, make } = bounded();
  memory.fail({ operation: "open", code: "EMFILE", times: "always" });
  expect(() => make("a")).toThrow("EMFILE: this process has too many open files");
});

test("a file that is closed while its sync waits for others is synced all the same", async () => {
  const { memory, make } = bounded();
  const files = namesUpTo(6).map((name) => make(name, name));
  memory.holdSyncs();
  const syncs = files.map((file) => file.sync());
  for (const file of files) file.close();
  memory.releaseSyncs();
  await Promise.all(syncs);
  expect(memory.unsyncedPaths()).toEqual(["/"]);
  expect(memory.openFiles.now).toBe(0);
});

test(`10,000 random calls are answered as by a disk without bounds (seed ${SEED})`, async () => {
  const { memory, disk } = bounded();
  const [few, many] = [new Map<string, DiskFile>(), new Map<string, DiskFile>()];
  const plain = new MemoryDisk();
  const random = new SeededRandom(SEED);
  for (let call = 0; call < 10_000; call++) {
    const path = `/file-${random.below(40)}`;
    const [position, bytes, choice] = [random.below(50), random.bytes(random.below(30)), random.below(10)];
    const act = async (files: Map<string, DiskFile>, on: MemoryDisk | BoundedDisk) => {
      const file = files.get(path);
      try {
        if (file === undefined) return void files.set(path, on.openFile(path, { create: "if-missing" }));
        if (choice < 3) return file.readAt(position, bytes.length).toString("hex");
        if (choice < 7) return file.writeAt(position, bytes);
        if (choice === 7) return file.truncate(position);
        if (choice === 8) return await file.sync();
        file.close();
        files.delete(path);
        return random.below(1);
      } catch (problem) {
        return codeOf(problem);
      }
    };
    expect(await act(few, disk), `call ${call}`).toEqual(await act(many, plain));
  }
  for (const file of [...few.values(), ...many.values()]) file.close();
  expect(memory.files()).toEqual(plain.files());
  expect(memory.openFiles.peak).toBeLessThanOrEqual(BUDGET);
});

import { posix } from "node:path";
import { expect, test } from "vitest";
import { rejection, START_MS, worldOn } from "../../test/world.ts";
import { MemoryDisk } from "../env/memory-disk.ts";
import { SeededRandom } from "../env/random.ts";
import { sealEnvelope } from "../log/files/checkpoint-envelope.ts";
import { DataDirectory } from "./data-directory.ts";
import { DataFolderRefused } from "./data-folder-refusal.ts";

const FOLDER = "/srv/data";
const IDENTITY = `${FOLDER}/meta.properties.json`;
const METADATA = `${FOLDER}/metadata.json`;
const PRODUCER_IDS = `${FOLDER}/producer-ids.json`;

function write(disk: MemoryDisk, path: string, bytes: string | Buffer): void {
  disk.makeFolder(posix.dirname(path));
  const file = disk.openFile(path, { create: "if-missing" });
  file.truncate(0);
  file.writeAt(0, Buffer.from(bytes));
  file.close();
}

async function founded(): Promise<{ disk: MemoryDisk; clusterId: string }> {
  const disk = new MemoryDisk();
  const directory = await DataDirectory.open(FOLDER, worldOn(disk));
  await directory.release();
  return { disk, clusterId: directory.clusterId };
}

/** Opens what must not open, and checks that not a byte of it changed. */
async function refusalOn(disk: MemoryDisk): Promise<DataFolderRefused> {
  const before = disk.files();
  const problem = await rejection(DataDirectory.open(FOLDER, worldOn(disk)));
  expect(problem).toBeInstanceOf(DataFolderRefused);
  expect(disk.files()).toEqual(before);
  if (!(problem instanceof DataFolderRefused)) throw problem;
  return problem;
}

test("a missing folder is made, and keeps its cluster id for ever", async () => {
  const { disk, clusterId } = await founded();
  expect(clusterId).toMatch(/^[0-9a-f-]{36}$/);
  disk.crash({ mode: "lost" });
  const again = await DataDirectory.open(FOLDER, worldOn(disk, 2));
  expect(again.clusterId).toBe(clusterId);
  expect(again.metadata).toEqual({ topics: [], deletions: [] });
  expect([...disk.files().keys()]).toEqual([`${FOLDER}/lock`, IDENTITY, METADATA, PRODUCER_IDS]);
});

test("an empty folder, also that of a fresh disk with its lost+found, is taken", async () => {
  const disk = new MemoryDisk();
  disk.makeFolder(`${FOLDER}/lost+found`);
  const directory = await DataDirectory.open(FOLDER, worldOn(disk));
  expect(directory.metadata.topics).toEqual([]);
});

test("whatever instant the first opening dies at, the next one founds the cluster", async () => {
  const disk = new MemoryDisk();
  const instants: MemoryDisk[] = [];
  disk.beforeChange(() => void instants.push(disk.clone()));
  await DataDirectory.open(FOLDER, worldOn(disk));
  instants.push(disk.clone());
  expect(instants.length).toBeGreaterThan(10);
  for (const [index, instant] of instants.entries()) {
    for (const seed of [null, 0, 1, 2, 3]) {
      const left = instant.clone();
      left.crash(seed === null ? { mode: "kept" } : { mode: "torn", random: new SeededRandom(seed) });
      const directory = await DataDirectory.open(FOLDER, worldOn(left));
      expect(directory.metadata, `instant ${index}, seed ${seed}`).toEqual({ topics: [], deletions: [] });
      left.crash({ mode: "lost" });
      // With other chances: a cluster that was founded anew would have another id.
      const again = await DataDirectory.open(FOLDER, worldOn(left, 2));
      expect(again.clusterId, `instant ${index}, seed ${seed}`).toBe(directory.clusterId);
    }
  }
});

test("a path that is a file is refused", async () => {
  const disk = new MemoryDisk();
  write(disk, FOLDER, "my thesis");
  expect(await refusalOn(disk)).toMatchObject({
    reason: "not-a-folder",
    message: 'the data folder "/srv/data" is not a folder',
  });
  const below = new MemoryDisk();
  write(below, "/srv", "a file where a folder should be");
  expect(await refusalOn(below)).toMatchObject({ reason: "not-a-folder" });
});

test("a folder with somebody else's files is refused, and the first of them are named", async () => {
  const disk = new MemoryDisk();
  for (const name of ["a.txt", "b\u001b[2J.txt", "c.txt", "d.txt"])
    write(disk, `${FOLDER}/${name}`, "precious");
  expect(await refusalOn(disk)).toMatchObject({
    reason: "not-ours",
    message:
      'the data folder "/srv/data" is not empty and is no data folder: it holds "a.txt", "b\\u{1b}[2J.txt", "c.txt" and 1 more',
  });
});

test("a metadata.json or producer-ids.json that is not what an interrupted founding leaves is somebody's", async () => {
  for (const path of [METADATA, PRODUCER_IDS]) {
    const disk = new MemoryDisk();
    write(disk, path, "{}");
    expect(await refusalOn(disk)).toMatchObject({
      reason: "not-ours",
      message: expect.stringContaining(posix.basename(path)),
    });
  }
});

test("a folder that lost its identity or its metadata is damaged, never an empty cluster", async () => {
  const { disk, clusterId } = await founded();
  const withoutMetadata = disk.clone();
  withoutMetadata.remove(METADATA);
  expect(await refusalOn(withoutMetadata)).toMatchObject({
    reason: "damaged",
    message: `the data folder "/srv/data" of cluster ${clusterId} is damaged: metadata.json is missing`,
  });
  const withoutProducerIds = disk.clone();
  withoutProducerIds.remove(PRODUCER_IDS);
  expect(await refusalOn(withoutProducerIds)).toMatchObject({
    reason: "damaged",
    message: `the data folder "/srv/data" of cluster ${clusterId} is damaged: producer-ids.json is missing`,
  });
  disk.makeFolder(`${FOLDER}/broker-1`);
  disk.remove(IDENTITY);
  expect(await refusalOn(disk)).toMatchObject({
    reason: "damaged",
    message: 'the data folder "/srv/data" is damaged: it holds broker-1, but meta.properties.json is missing',
  });
});

test.each([
  ["identity", IDENTITY],
  ["metadata", METADATA],
  ["producer ids", PRODUCER_IDS],
])("any flipped bit and any cut of the %s file is refused by name", async (_name, path) => {
  const { disk } = await founded();
  const good = disk.files().get(path);
  if (good === undefined) throw new Error(`${path} is not there`);
  for (let bit = 0; bit < good.length * 8; bit++) {
    const bytes = Buffer.from(good);
    bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const damaged = disk.clone();
    write(damaged, path, bytes);
    expect(await refusalOn(damaged), `bit ${bit}`).toMatchObject({
      reason: "damaged",
      message: expect.stringContaining(path),
    });
  }
  for (let length = 0; length < good.length; length++) {
    const damaged = disk.clone();
    write(damaged, path, good.subarray(0, length));
    expect(await refusalOn(damaged), `${length} bytes`).toMatchObject({ reason: "damaged" });
  }
});

test("a newer format version is refused with its number", async () => {
  const { disk, clusterId } = await founded();
  write(disk, IDENTITY, sealEnvelope(1, { format_version: 3, cluster_id: clusterId }));
  expect(await refusalOn(disk)).toMatchObject({
    reason: "newer-version",
    message: 'the data folder "/srv/data" has format version 3; this program reads up to 2',
  });
  write(disk, IDENTITY, sealEnvelope(2, { something: "new" }));
  expect(await refusalOn(disk)).toMatchObject({ reason: "newer-version" });
  const newerMetadata = (await founded()).disk;
  write(newerMetadata, METADATA, sealEnvelope(9, {}));
  expect(await refusalOn(newerMetadata)).toMatchObject({
    reason: "newer-version",
    message: expect.stringContaining("the version is 9"),
  });
});

test("a folder in use is refused with the name of its holder, who is not disturbed", async () => {
  const disk = new MemoryDisk();
  const first = await DataDirectory.open(FOLDER, worldOn(disk));
  const refused = await refusalOn(disk);
  expect(refused).toMatchObject({
    reason: "in-use",
    message: expect.stringContaining(`is in use by process ${process.pid} on "`),
    holder: { pid: process.pid, startedAtMs: START_MS },
  });
  await first.release();
  await (await DataDirectory.open(FOLDER, worldOn(disk))).release();
});

test.each([
  ["EROFS", "read-only"],
  ["EACCES", "read-only"],
  ["EIO", "unreachable"],
])("a disk that takes nothing (%s) is refused as %s, and left as it was", async (code, reason) => {
  const { disk } = await founded();
  disk.fail({ operation: "change", code, times: "always" });
  expect(await refusalOn(disk)).toMatchObject({ reason, message: expect.stringContaining(code) });
  const fresh = new MemoryDisk();
  fresh.fail({ operation: "change", code, times: "always" });
  expect(await refusalOn(fresh)).toMatchObject({ reason });
});

test("a disk that refuses at any step is refused, and the folder is free again", async () => {
  const measured = new MemoryDisk();
  await DataDirectory.open(FOLDER, worldOn(measured));
  for (let nth = 1; nth <= measured.changeCount; nth++) {
    const disk = new MemoryDisk();
    disk.fail({ operation: "change", code: "ENOSPC", times: { nth } });
    const problem = await rejection(DataDirectory.open(FOLDER, worldOn(disk)));
    expect(problem, `change ${nth}`).toMatchObject({ name: "DataFolderRefused", reason: "unreachable" });
    await (await DataDirectory.open(FOLDER, worldOn(disk))).release();
  }
});

/** As a program of the first version left it. */
async function ofVersion1(): Promise<{ disk: MemoryDisk; clusterId: string }> {
  const { disk, clusterId } = await founded();
  disk.remove(PRODUCER_IDS);
  write(disk, IDENTITY, sealEnvelope(1, { format_version: 1, cluster_id: clusterId }));
  for (const path of [FOLDER, "/srv"]) disk.syncFolder(path);
  return { disk, clusterId };
}

test("a folder of version 1, which has no producer ids, is raised whatever instant the opening dies at", async () => {
  const { disk, clusterId } = await ofVersion1();
  const instants = [disk.clone()];
  disk.beforeChange(() => void instants.push(disk.clone()));
  await DataDirectory.open(FOLDER, worldOn(disk));
  instants.push(disk.clone());
  expect(instants.length).toBeGreaterThan(10);
  for (const [index, left] of instants.entries()) {
    left.crash({ mode: "kept" });
    const directory = await DataDirectory.open(FOLDER, worldOn(left));
    expect(directory.clusterId, `instant ${index}`).toBe(clusterId);
    expect(directory.producerIds.nextProducerId).toBe(0);
    await directory.release();
    left.crash({ mode: "lost" });
    left.remove(PRODUCER_IDS);
    expect((await refusalOn(left)).message).toContain("producer-ids.json is missing");
  }
});

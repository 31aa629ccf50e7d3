import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { FolderSurvey, fingerprintOf } from "./folder-image.ts";
import { originOf } from "./origin.ts";

/** Path within the folder to text; `null` makes a folder. */
function diskWith(files: { readonly [path: string]: string | null }): MemoryDisk {
  const disk = new MemoryDisk();
  disk.makeFolder("/data");
  for (const [path, text] of Object.entries(files)) {
    const folder = `/data/${path}`.replace(/\/[^/]*$/, "");
    disk.makeFolder(text === null ? `/data/${path}` : folder);
    if (text !== null) disk.openFile(`/data/${path}`, { create: "exclusive" }).writeAt(0, Buffer.from(text));
  }
  return disk;
}

const CLUSTER = {
  "metadata.json": "{}",
  "broker-1/orders-0/00000000000000000000.log": "abc",
  "broker-2": null,
};

test("an image has every file and every empty folder, but neither who holds it nor its snapshots", () => {
  const others = { lock: "7", "lock.hold": "", "snapshots/one": "old" };
  const image = new FolderSurvey(diskWith({ ...CLUSTER, ...others }), "/data").image();
  expect(image.entries.map(({ path, bytes }) => [path, bytes?.toString() ?? null])).toEqual([
    ["broker-1", null],
    ["broker-1/orders-0", null],
    ["broker-1/orders-0/00000000000000000000.log", "abc"],
    ["broker-2", null],
    ["metadata.json", "{}"],
  ]);
  expect(image.sizeBytes).toBe(5);
});

test("chance follows from the seed and from every byte and name in the folder, and from nothing else", () => {
  const drawn = (files: { readonly [path: string]: string | null }, seed = 1, bytesMax = 1_000) =>
    originOf(new FolderSurvey(diskWith(files), "/data"), { startTimeMs: 0, seed, bytesMax }).drawnSeed;
  const one = drawn(CLUSTER);
  expect(drawn({ ...CLUSTER })).toBe(one);
  expect(drawn({ ...CLUSTER, lock: "somebody" })).toBe(one);
  const others = [
    drawn(CLUSTER, 2),
    drawn({ ...CLUSTER, "metadata.json": "{ " }),
    drawn({ ...CLUSTER, "broker-3": null }),
    drawn({ ...CLUSTER, "broker-3": "" }),
    drawn({ "metadata.json": "{}" }),
  ];
  expect(new Set([one, ...others]).size).toBe(1 + others.length);
});

test("a folder that holds more than may be kept has no image, and chance of its own all the same", () => {
  const wishes = { startTimeMs: 0, seed: 1, bytesMax: 4 };
  const large = originOf(new FolderSurvey(diskWith(CLUSTER), "/data"), wishes);
  expect(large).toMatchObject({ image: null, imageBytes: 5 });
  const other = originOf(new FolderSurvey(diskWith({ ...CLUSTER, more: "x" }), "/data"), wishes);
  expect(other.drawnSeed).not.toBe(large.drawnSeed);
  expect(fingerprintOf({ entries: [], sizeBytes: 0 })).toMatch(/^[0-9a-f]{64}$/);
});

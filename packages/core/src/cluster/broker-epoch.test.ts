import { expect, test } from "vitest";
import { FOLDER } from "../../test/cluster-world.ts";
import { memoryWorld, START_MS, type World } from "../../test/world.ts";
import { BROKER_EPOCH_FILE_NAME, BrokerEpoch } from "./broker-epoch.ts";

const PATH = `${FOLDER}/${BROKER_EPOCH_FILE_NAME}`;
const spend = (act: () => void) => act();

function openWorld(): World {
  const world = memoryWorld();
  world.disk.makeFolder(FOLDER);
  return world;
}

/** A start of broker `brokerId` on the folder, with what the metadata knows. */
function begin(world: World, knownEpoch: number | null, brokerId = 1) {
  return new BrokerEpoch(FOLDER, brokerId, world).begin(knownEpoch, spend);
}

function bytesOf(world: World): Buffer {
  const bytes = world.disk.files().get(PATH);
  if (bytes === undefined) throw new Error("there is no file");
  return bytes;
}

function putBack(world: World, bytes: Buffer): void {
  const file = world.disk.openFile(PATH, { create: "if-missing" });
  file.truncate(0);
  file.writeAt(0, bytes);
  file.close();
}

test("each start has a later epoch than all before, also when the clock stands still or goes back", () => {
  const world = openWorld();
  const epochs = [begin(world, null), begin(world, START_MS), begin(world, START_MS + 500)];
  expect(epochs.map(({ brokerEpoch }) => brokerEpoch)).toEqual([START_MS, START_MS + 1, START_MS + 501]);
});

test("a folder is older when the metadata knows of a later life that was in another one", () => {
  const world = openWorld();
  const first = begin(world, null);
  const copy = bytesOf(world);
  const second = begin(world, first.brokerEpoch);
  expect([first.isOlderCopy, second.isOlderCopy]).toEqual([false, false]);
  putBack(world, copy);
  const third = begin(world, second.brokerEpoch);
  expect(third.isOlderCopy).toBe(true);
  expect(begin(world, third.brokerEpoch).isOlderCopy).toBe(false);
});

test("it is older until a start was judged, however many were not", () => {
  const world = openWorld();
  const first = begin(world, null);
  const copy = bytesOf(world);
  const second = begin(world, first.brokerEpoch);
  putBack(world, copy);
  for (let start = 0; start < 3; start++) expect(begin(world, second.brokerEpoch).isOlderCopy).toBe(true);
  const judged = begin(world, second.brokerEpoch);
  expect(begin(world, judged.brokerEpoch).isOlderCopy).toBe(false);
});

test("a start that was not judged makes no folder older", () => {
  const world = openWorld();
  const first = begin(world, null);
  for (let start = 0; start < 3; start++) expect(begin(world, first.brokerEpoch).isOlderCopy).toBe(false);
});

test("a folder without an epoch is older when the metadata knows one, and one that is damaged or another broker's", () => {
  for (const spoil of [
    (world: World) => world.disk.remove(PATH),
    (world: World) => putBack(world, Buffer.from("{}\n")),
    (world: World) => begin(world, null, 2),
  ]) {
    const world = openWorld();
    const { brokerEpoch } = begin(world, null);
    spoil(world);
    expect(begin(world, brokerEpoch).isOlderCopy).toBe(true);
  }
  const damaged = openWorld();
  putBack(damaged, Buffer.from("{}\n"));
  expect(begin(damaged, null).isOlderCopy).toBe(false);
  expect(damaged.events.of("checkpoint_ignored")).toMatchObject([{ brokerId: 1, path: PATH }]);
});

test("a metadata file that is older than the folder makes it no older copy", () => {
  const world = openWorld();
  const first = begin(world, null);
  begin(world, first.brokerEpoch);
  expect(begin(world, START_MS - 1000).isOlderCopy).toBe(false);
});

test("where the disk refuses there is no new epoch, and the folder is what it was", () => {
  const world = openWorld();
  const { brokerEpoch } = begin(world, null);
  const fault = world.faults.arm({ point: "broker_epoch.before_sync", action: "error" });
  expect(begin(world, brokerEpoch)).toEqual({ isOlderCopy: false, brokerEpoch: null });
  expect(fault.hits).toBe(1);
  expect(begin(world, brokerEpoch).isOlderCopy).toBe(false);
});

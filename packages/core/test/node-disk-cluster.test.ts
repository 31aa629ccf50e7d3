/** The same cluster on a real disk. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BrokerCluster } from "../src/cluster/cluster.ts";
import { NodeDisk } from "../src/env/node-disk.ts";
import { append, valuesOf } from "./cluster-world.ts";
import { rejection, worldOn } from "./world.ts";

const ORDERS = { topic: "orders", partition: 1 };
let root = "";

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "minikafka-cluster-")).replaceAll(path.sep, "/");
});

afterEach(() => {
  fs.rmSync(root, { recursive: true, force: true });
});

function open(dataFolder: string): Promise<BrokerCluster> {
  return BrokerCluster.open({ dataFolder }, worldOn(new NodeDisk()));
}

test.each(["data", "deeper/below/data", "with space", "line\nbreak", "naïve-🦊"])(
  "a cluster in a folder called %j is there again after a close and after a crash",
  async (name) => {
    const folder = `${root}/${name}`;
    const first = await open(folder);
    first.createTopic({ topic: "orders", partitions: 2 });
    await append(first, ORDERS, "flushed", "all");
    await append(first, ORDERS, "written", 1);
    await first.close();
    const second = await open(folder);
    await append(second, ORDERS, "after", 1);
    await second.crash();
    const third = await open(folder);
    expect(third.clusterId).toBe(first.clusterId);
    expect(valuesOf(third, ORDERS)).toEqual(["flushed", "written", "after"]);
    third.deleteTopic("orders");
    await third.close();
    expect(fs.readdirSync(`${folder}/broker-1`)).toEqual(["broker-epoch.json", "clean-shutdown"]);
    expect(fs.readdirSync(folder).filter((entry) => entry !== "lock.hold")).toEqual([
      "broker-1",
      "meta.properties.json",
      "metadata.json",
      "producer-ids.json",
    ]);
  },
);

test("one folder is held by one cluster, also by another name of it", async () => {
  const folder = `${root}/data`;
  const first = await open(folder);
  fs.symlinkSync(folder, `${root}/alias`);
  for (const name of [folder, `${root}/alias`]) {
    expect(await rejection(open(name))).toMatchObject({ reason: "in-use", holder: { pid: process.pid } });
  }
  await first.close();
  await (await open(`${root}/alias`)).close();
});

test("a file, a link in a circle and somebody's folder are refused and left as they were", async () => {
  fs.writeFileSync(`${root}/file`, "my thesis");
  fs.symlinkSync(`${root}/circle`, `${root}/circle`);
  fs.mkdirSync(`${root}/home`);
  fs.writeFileSync(`${root}/home/letter.txt`, "dear");
  expect(await rejection(open(`${root}/file`))).toMatchObject({ reason: "not-a-folder" });
  expect(await rejection(open(`${root}/file/below`))).toMatchObject({ reason: "not-a-folder" });
  expect(await rejection(open(`${root}/circle`))).toMatchObject({ reason: "unreachable" });
  expect(await rejection(open(`${root}/home`))).toMatchObject({ reason: "not-ours" });
  expect(fs.readdirSync(root)).toEqual(["circle", "file", "home"]);
  expect(fs.readFileSync(`${root}/file`, "utf8")).toBe("my thesis");
  expect(fs.readdirSync(`${root}/home`)).toEqual(["letter.txt"]);
});

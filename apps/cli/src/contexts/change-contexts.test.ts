/** Commands that change the contexts at the same time, and disks that refuse the change. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { NodeDisk } from "@minikafka/core/log";
import { expect, onTestFinished, test } from "vitest";
import { changeContexts } from "./change-contexts.ts";
import { type Contexts, readContexts, writeContexts } from "./context-file.ts";

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-contexts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "minikafka", "contexts.json");
}

function adding(name: string): (contexts: Contexts) => Contexts {
  return ({ current, addresses }) => ({
    current,
    addresses: new Map(addresses).set(name, { host: "127.0.0.1", port: 1 }),
  });
}

const namesIn = (place: string) => [...readContexts(place).addresses.keys()];

test("a change waits for the one that is under way, and has what that one wrote", async () => {
  const place = file();
  mkdirSync(dirname(place));
  const other = await new NodeDisk().lock(dirname(place), 0);
  const changed = changeContexts(place, adding("second"));
  writeContexts(place, adding("first")(readContexts(place)));
  await other.release();
  await changed;
  expect(namesIn(place)).toEqual(["first", "second"]);
});

test("of many changes in the same instant each one stays", async () => {
  const place = file();
  const names = Array.from({ length: 8 }, (_, number) => `broker-${number}`);
  await Promise.all(names.map((name) => changeContexts(place, adding(name))));
  expect(namesIn(place)).toEqual(names);
  expect(readdirSync(dirname(place)).filter((name) => name !== "lock.hold")).toEqual(["contexts.json"]);
});

test("what a killed command has left in the folder is in nobody's way", async () => {
  const place = file();
  mkdirSync(dirname(place));
  writeFileSync(join(dirname(place), "lock"), '{"pid":1,"started_at":5,"host":"here"}');
  writeFileSync(`${place}.1.new`, "{");
  await changeContexts(place, adding("local"));
  expect(namesIn(place)).toEqual(["local"]);
});

test("who never ends his change is named, and nothing is written", async () => {
  const place = file();
  mkdirSync(dirname(place));
  const other = await new NodeDisk().lock(dirname(place), 0);
  await expect(changeContexts(place, adding("local"), 40)).rejects.toMatchObject({
    code: "CONTEXTS_IN_USE",
    message: expect.stringContaining(`is in use by process ${process.pid} on `),
  });
  expect(existsSync(place)).toBe(false);
  await other.release();
});

test("a change that is refused makes no folder and holds nothing", async () => {
  const place = file();
  const refuse = () => {
    throw new Error("no");
  };
  await expect(changeContexts(place, refuse)).rejects.toThrow("no");
  expect(existsSync(dirname(place))).toBe(false);
  await changeContexts(place, adding("local"));
  let looks = 0;
  const refuseLater = (contexts: Contexts) => (looks++ === 0 ? contexts : refuse());
  await expect(changeContexts(place, refuseLater)).rejects.toThrow("no");
  await changeContexts(place, adding("spare"));
  expect(namesIn(place)).toEqual(["local", "spare"]);
});

test.each(["lock", "contexts.json"])(
  "a disk that takes no %s leaves no half of it, and the old file whole",
  async (refused) => {
    const place = file();
    await changeContexts(place, adding("local"));
    const before = readFileSync(place, "utf8");
    // Nothing can be written there, as on a full disk.
    const aside = refused === "lock" ? join(dirname(place), "lock") : `${place}.${process.pid}.new`;
    mkdirSync(aside);
    await expect(changeContexts(place, adding("spare"))).rejects.toMatchObject({ code: "INVALID_CONTEXTS" });
    expect(readFileSync(place, "utf8")).toBe(before);
    rmSync(aside, { recursive: true });
    await changeContexts(place, adding("spare"));
    expect(namesIn(place)).toEqual(["local", "spare"]);
  },
);

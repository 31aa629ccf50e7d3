/**
 * One process in a data folder, with real processes that are really killed. They run what is built (dist), as a broker
 * does; every wait is for a line that they print, or for their end.
 */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NodeDisk } from "../src/env/node-disk.ts";

const DISK = new URL("../dist/env/node-disk.js", import.meta.url).href;

/** Says "ready", and tries to hold the folder once it reads a line. Holds until it is killed, or ends when told to. */
const HOLDER = `
  import { NodeDisk } from ${JSON.stringify(DISK)};
  const [folder, then, userId] = process.argv.slice(1);
  if (userId !== undefined) { process.setgid(Number(userId)); process.setuid(Number(userId)); }
  console.log("ready");
  process.stdin.once("data", async () => {
    try {
      await new NodeDisk().lock(folder, Date.now());
      console.log("held");
    } catch (problem) {
      console.log(problem.name + " " + (problem.holder?.pid ?? problem.code ?? "nobody"));
      process.stdin.destroy();
    }
    if (then === "end") process.stdin.destroy();
  });
`;

class Holder {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  readonly #ended: Promise<string>;

  constructor(folder: string, ...rest: string[]) {
    this.process = spawn(process.execPath, ["--input-type=module", "-e", HOLDER, folder, ...rest], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { stdout } = this.process;
    if (stdout === null) throw new Error("a child without stdout");
    this.#reader = createInterface({ input: stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.#ended = new Promise((resolve) => {
      this.process.once("exit", (code, signal) => resolve(String(signal ?? code)));
    });
  }

  async line(): Promise<string> {
    const next = await this.#lines.next();
    return next.done === true ? "(it ended)" : next.value;
  }

  /** Lets it try, and gives what it says. */
  async tries(): Promise<string> {
    this.process.stdin?.write("go\n");
    return await this.line();
  }

  /** How it ended: its exit code, or the signal that killed it. */
  ended(): Promise<string> {
    return this.#ended;
  }

  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#ended;
  }
}

let folder = "";
let holders: Holder[] = [];

async function startHolder(...rest: string[]): Promise<Holder> {
  const holder = new Holder(folder, ...rest);
  holders.push(holder);
  expect(await holder.line()).toBe("ready");
  return holder;
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "minikafka-lock-")).replaceAll(path.sep, "/");
  holders = [];
});

afterEach(async () => {
  await Promise.all(holders.map((holder) => holder.kill()));
  fs.rmSync(folder, { recursive: true, force: true });
});

const lockFile = (): unknown => JSON.parse(fs.readFileSync(`${folder}/lock`, "utf8"));

test("a second process is refused with the first one's id, and the first one isn't harmed", async () => {
  const first = await startHolder();
  expect(await first.tries()).toBe("held");
  const second = await startHolder();
  expect(await second.tries()).toBe(`FolderHeldError ${first.process.pid}`);
  expect(await second.ended()).toBe("0");
  await expect(new NodeDisk().lock(folder, 1)).rejects.toThrow(
    `${folder} is in use by process ${first.process.pid} on`,
  );
  expect(lockFile()).toMatchObject({ pid: first.process.pid, host: os.hostname() });
});

test("a folder whose holder was killed is free at once, and its lock file is taken over", async () => {
  for (let life = 0; life < 3; life++) {
    const holder = await startHolder();
    expect(await holder.tries()).toBe("held");
    expect(lockFile()).toMatchObject({ pid: holder.process.pid });
    await holder.kill();
    expect(lockFile()).toMatchObject({ pid: holder.process.pid });
  }
  const lock = await new NodeDisk().lock(folder, 1);
  expect(lockFile()).toMatchObject({ pid: process.pid });
  await lock.release();
});

test("of processes that try at once exactly one wins, also over the lock file of a killed one", async () => {
  for (let round = 0; round < 2; round++) {
    const rivals = await Promise.all(Array.from({ length: 4 }, () => startHolder()));
    const said = await Promise.all(rivals.map((rival) => rival.tries()));
    expect(said.filter((line) => line === "held")).toHaveLength(1);
    expect(said.filter((line) => line.startsWith("FolderHeldError"))).toHaveLength(3);
    await Promise.all(rivals.map((rival) => rival.kill()));
  }
});

test("a held folder keeps no process alive", async () => {
  const holder = await startHolder("end");
  expect(await holder.tries()).toBe("held");
  expect(await holder.ended()).toBe("0");
});

test("a folder that may not be written is refused, and not held", async ({ skip }) => {
  skip(process.platform === "win32", "Windows has no such permissions");
  // Nobody refuses root a write, so that root's child becomes somebody else.
  const asNobody = process.getuid?.() === 0 ? ["end", "65534"] : ["end"];
  fs.chmodSync(folder, 0o555);
  const holder = await startHolder(...asNobody);
  expect(await holder.tries()).toBe("DiskError EACCES");
  expect(await holder.ended()).toBe("0");
  fs.chmodSync(folder, 0o755);
  await (await new NodeDisk().lock(folder, 1)).release();
});

test("a folder that is removed while it is held gives its number to no other, so that each new one can be held", async () => {
  const disk = new NodeDisk();
  const gone = path.join(folder, "gone");
  fs.mkdirSync(gone);
  const before = await disk.lock(gone, 1);
  const { ino } = fs.statSync(gone, { bigint: true });
  fs.rmSync(gone, { recursive: true });
  for (let n = 0; n < 20; n++) {
    const fresh = path.join(folder, `fresh ${n}`);
    fs.mkdirSync(fresh);
    expect(fs.statSync(fresh, { bigint: true }).ino).not.toBe(ino);
    const lock = await disk.lock(fresh, 1);
    await lock.release();
  }
  await before.release();
});

test.runIf(process.platform === "linux")(
  "a hold that has ended, or was not won, leaves no descriptor",
  async () => {
    const descriptors = () => fs.readdirSync("/proc/self/fd").length;
    const disk = new NodeDisk();
    const before = descriptors();
    const lock = await disk.lock(folder, 1);
    await expect(disk.lock(folder, 2)).rejects.toThrow("in use by");
    await lock.release();
    await lock.release();
    expect(descriptors()).toBe(before);
  },
);

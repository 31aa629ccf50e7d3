/** A checkpoint is the old value or the new one, whatever instant the world ends at, and damage is never a value. */
import { describe, expect, test } from "vitest";
import { type Disk, readSmallFile } from "../../env/disk.ts";
import { CrashSignal } from "../../env/fault-order.ts";
import { CHECKPOINT_STEPS, type FaultPoint } from "../../env/fault-point.ts";
import { FaultPoints } from "../../env/fault-points.ts";
import { MemoryDisk } from "../../env/memory-disk.ts";
import type { Crash } from "../../env/memory-nodes.ts";
import { SeededRandom } from "../../env/random.ts";
import { BrokerError } from "../../errors.ts";
import { sealEnvelope } from "./checkpoint-envelope.ts";
import { CheckpointFile } from "./checkpoint-file.ts";
import { checkpointOutcome } from "./checkpoint-outcome.ts";

const PATH = "/d/metadata.json";

interface Topics {
  readonly topics: readonly string[];
}

function parseTopics(payload: unknown): Topics {
  if (typeof payload !== "object" || payload === null || !("topics" in payload))
    throw new TypeError("no topics");
  if (!Array.isArray(payload.topics)) throw new TypeError(`topics is ${typeof payload.topics}`);
  return { topics: payload.topics.map(String) };
}

function checkpointOn(disk: Disk, faults = new FaultPoints(), version = 1): CheckpointFile<Topics> {
  return new CheckpointFile({ disk, faults, path: PATH, name: "metadata", version, parse: parseTopics });
}

/** A disk on which the checkpoint durably holds `old`. */
function diskWithOld(): MemoryDisk {
  const disk = new MemoryDisk();
  disk.makeFolder("/d");
  disk.syncFolder("/");
  checkpointOn(disk).replace({ topics: ["old"] });
  return disk;
}

function refusal(act: () => unknown): BrokerError {
  try {
    act();
  } catch (problem) {
    if (problem instanceof BrokerError) return problem;
    throw problem;
  }
  throw new Error("nothing was refused");
}

const valueOn = (disk: Disk) => checkpointOn(disk).read()?.topics[0] ?? null;

/** Puts `bytes` under the checkpoint's name as somebody else would. */
function overwrite(disk: Disk, bytes: Uint8Array): void {
  const file = disk.openFile(PATH, { create: "if-missing" });
  file.truncate(0);
  file.writeAt(0, bytes);
  file.close();
}

const topics = (...names: string[]): Topics => ({ topics: names });

test("reads null where nothing was written, and the last value afterwards", () => {
  const disk = new MemoryDisk();
  disk.makeFolder("/d");
  const checkpoint = checkpointOn(disk);
  expect(checkpoint.read()).toBeNull();
  checkpoint.replace(topics("a", "ü\u2028"));
  expect(checkpoint.read()).toEqual(topics("a", "ü\u2028"));
  checkpoint.replace(topics());
  expect(checkpointOn(disk).read()).toEqual(topics());
});

test("is one line of JSON whose bytes are fixed", () => {
  const line = readSmallFile(diskWithOld(), PATH, 1000)?.toString();
  expect(line).toBe('{"crc32":"a8dd9c7b","version":1,"payload":{"topics":["old"]}}\n');
});

test("sees each flipped bit, and says which file is damaged", () => {
  const disk = diskWithOld();
  const bytes = readSmallFile(disk, PATH, 1000) ?? Buffer.alloc(0);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    overwrite(disk, flipped);
    const error = refusal(() => valueOn(disk));
    expect(error.code).toBe("STORAGE_ERROR");
    expect(error.message).toContain(PATH);
    expect(error.details.file).toBe(PATH);
  }
});

test("sees each missing tail, and each foreign one", () => {
  const disk = diskWithOld();
  const bytes = readSmallFile(disk, PATH, 1000) ?? Buffer.alloc(0);
  for (let length = 0; length < bytes.length; length++) {
    overwrite(disk, bytes.subarray(0, length));
    expect(refusal(() => valueOn(disk)).code).toBe("STORAGE_ERROR");
  }
  for (const tail of ["\n", " ", "}\n", "\0"]) {
    overwrite(disk, Buffer.concat([bytes, Buffer.from(tail)]));
    expect(refusal(() => valueOn(disk)).code).toBe("STORAGE_ERROR");
  }
});

test("says what is wrong: another beginning, another CRC, a newer version, a payload of another kind, a folder", () => {
  const disk = diskWithOld();
  const messageFor = (bytes: Uint8Array) => {
    overwrite(disk, bytes);
    return refusal(() => valueOn(disk)).message;
  };
  expect(messageFor(Buffer.from("{}"))).toBe(
    `${PATH}: the file of 2 bytes does not begin like a checkpoint; expected a checkpoint as this program writes it`,
  );
  expect(messageFor(Buffer.from('{"crc32":"00000000","version":1,"payload":{}}\n'))).toMatch(
    /: the CRC of its bytes is [0-9a-f]{8}; expected 00000000, which it states$/,
  );
  expect(messageFor(sealEnvelope(2, topics("new")))).toBe(
    `${PATH}: the version is 2; expected 1 or older: a newer program wrote this file`,
  );
  expect(messageFor(sealEnvelope(1, { topics: 7 }))).toBe(
    `${PATH}: topics is number; expected a metadata of version 1`,
  );
  disk.remove(PATH);
  disk.makeFolder(PATH);
  expect(refusal(() => valueOn(disk)).message).toContain("EISDIR");
});

test("hands an older version to the parser, and writes its own", () => {
  const disk = diskWithOld();
  const seen: number[] = [];
  const checkpoint = new CheckpointFile({
    disk,
    faults: new FaultPoints(),
    path: PATH,
    name: "metadata",
    version: 3,
    parse: (payload, version) => {
      seen.push(version);
      return parseTopics(payload);
    },
  });
  const old = checkpoint.read();
  expect(old).toEqual(topics("old"));
  checkpoint.replace(old ?? topics());
  checkpoint.read();
  expect(seen).toEqual([1, 3]);
});

test("writes what format makes of a value", () => {
  const disk = diskWithOld();
  const checkpoint = new CheckpointFile<string>({
    disk,
    faults: new FaultPoints(),
    path: PATH,
    name: "metadata",
    version: 1,
    parse: (payload) => parseTopics(payload).topics.join(),
    format: (value) => ({ topics: value.split(",") }),
  });
  checkpoint.replace("a,b");
  expect(checkpoint.read()).toBe("a,b");
  expect(checkpointOn(disk).read()).toEqual(topics("a", "b"));
});

test("a temporary that a crash left is no value; the owner removes it, or the next replacement writes over it", () => {
  const disk = diskWithOld();
  for (const stray of [`${PATH}.tmp`, `${PATH}.tmp-later`]) {
    const file = disk.openFile(stray, { create: "exclusive" });
    file.writeAt(0, Buffer.alloc(500, "x"));
    file.close();
  }
  expect(valueOn(disk)).toBe("old");
  checkpointOn(disk).replace(topics("new"));
  expect(valueOn(disk)).toBe("new");
  expect(checkpointOn(disk).removeStrays()).toEqual([`${PATH}.tmp-later`]);
  expect(checkpointOn(disk).removeStrays()).toEqual([]);
  expect(disk.readFolder("/d").map(({ name }) => name)).toEqual(["metadata.json"]);
});

const CRASHES: readonly ((seed: number) => Crash)[] = [
  () => ({ mode: "kept" }),
  () => ({ mode: "lost" }),
  ...[0, 1, 2, 3, 4, 5].flatMap((offset) => [
    (seed: number): Crash => ({ mode: "torn", random: new SeededRandom(seed * 6 + offset) }),
    (seed: number): Crash => ({ mode: "scattered", random: new SeededRandom(seed * 6 + offset) }),
  ]),
];

describe.each([
  { way: "replace", act: async (file: CheckpointFile<Topics>, value: Topics) => file.replace(value) },
  { way: "replaceLater", act: (file: CheckpointFile<Topics>, value: Topics) => file.replaceLater(value) },
])("$way", ({ act }) => {
  test("is durable once it returns", async () => {
    const disk = diskWithOld();
    await act(checkpointOn(disk), topics("new"));
    expect(disk.unsyncedPaths()).toEqual([]);
    disk.crash({ mode: "lost" });
    expect(valueOn(disk)).toBe("new");
  });

  test("leaves the old value or the new one, whichever of its changes a crash comes before", async () => {
    const disk = diskWithOld();
    const seen = new Set<string | null>();
    let crashes = 0;
    disk.beforeChange((_change, index) => {
      for (const crash of CRASHES) {
        const clone = disk.clone();
        clone.crash(crash(index));
        seen.add(valueOn(clone));
        checkpointOn(clone).removeStrays();
        checkpointOn(clone).replace(topics("next"));
        expect(valueOn(clone)).toBe("next");
        crashes++;
      }
    });
    await act(checkpointOn(disk), topics("new"));
    expect([...seen]).toEqual(["old", "new"]);
    expect(crashes).toBe(6 * CRASHES.length);
  });

  test("leaves nothing or the first value, whichever of its changes a crash comes before", async () => {
    const disk = new MemoryDisk();
    disk.makeFolder("/d");
    disk.syncFolder("/");
    const seen = new Set<string | null>();
    disk.beforeChange((_change, index) => {
      for (const crash of CRASHES) {
        const clone = disk.clone();
        clone.crash(crash(index));
        seen.add(valueOn(clone));
      }
    });
    await act(checkpointOn(disk), topics("first"));
    expect([...seen]).toEqual([null, "first"]);
  });

  test("answers a refusal of the disk with STORAGE_ERROR, and says whether the old value stands", async () => {
    const outcomes: (string | null | undefined)[] = [];
    for (let nth = 1; ; nth++) {
      const disk = diskWithOld();
      const failure = disk.fail({ operation: "change", code: "ENOSPC", times: { nth }, bytesWritten: 5 });
      const problem: unknown = await act(checkpointOn(disk), topics("new")).catch(
        (caught: unknown) => caught,
      );
      if (failure.fired === 0) break;
      if (!(problem instanceof BrokerError)) throw problem;
      expect(problem.code).toBe("STORAGE_ERROR");
      expect(problem.message).toContain(PATH);
      const outcome = checkpointOutcome(problem);
      outcomes.push(outcome);
      if (outcome === "unchanged") {
        expect(disk.readFolder("/d").map(({ name }) => name)).toEqual(["metadata.json"]);
        expect(valueOn(disk)).toBe("old");
      }
      await act(checkpointOn(disk), topics("again"));
      expect(valueOn(disk)).toBe("again");
    }
    expect(outcomes).toEqual([...Array(5).fill("unchanged"), "unknown"]);
  });

  test("for want of a descriptor leaves the old value, whichever file cannot be opened, and never an unknown one", async () => {
    for (let nth = 1; ; nth++) {
      const disk = diskWithOld();
      const failure = disk.fail({ operation: "open", code: "EMFILE", times: { nth } });
      const checkpoint = checkpointOn(disk);
      const problem = await Promise.resolve(act(checkpoint, topics("new"))).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (failure.fired === 0) {
        expect(nth).toBe(3);
        return;
      }
      expect(problem instanceof BrokerError && checkpointOutcome(problem)).toBe("unchanged");
      expect([valueOn(disk), [...disk.files().keys()]]).toEqual(["old", [PATH]]);
      await act(checkpoint, topics("newer"));
      disk.crash({ mode: "lost" });
      expect(valueOn(disk)).toBe("newer");
    }
  });

  test.each(CHECKPOINT_STEPS)("can be told to fail and to crash at %s", async (step) => {
    const point: FaultPoint = `metadata.${step}`;
    const failing = diskWithOld();
    const faults = new FaultPoints();
    const rule = faults.arm({ point, action: "error" });
    await expect(act(checkpointOn(failing, faults), topics("new"))).rejects.toMatchObject({
      code: "STORAGE_ERROR",
    });
    rule.assertFired();
    expect(valueOn(failing)).toBe(step.startsWith("before") ? "old" : "new");

    const dying = diskWithOld();
    const deadly = new FaultPoints({ onCrash: () => dying.powerOff() });
    const death = deadly.arm({ point, action: "crash" });
    await expect(act(checkpointOn(dying, deadly), topics("new"))).rejects.toBeInstanceOf(CrashSignal);
    death.assertFired();
    dying.crash({ mode: "lost" });
    expect(valueOn(dying)).toBe(step === "after_folder_sync" ? "new" : "old");
  });
});

test("replacements that wait together are written once, as the newest of them", async () => {
  const disk = diskWithOld();
  const checkpoint = checkpointOn(disk);
  const renames: string[] = [];
  disk.beforeChange((change) => {
    if (change.kind === "rename") renames.push(valueOn(disk) ?? "");
  });
  disk.holdSyncs();
  const first = checkpoint.replaceLater(topics("1"));
  await Promise.resolve();
  await Promise.resolve();
  const rest = ["2", "3", "4"].map((name) => checkpoint.replaceLater(topics(name)));
  disk.releaseSyncs();
  await first;
  await Promise.all(rest);
  expect(valueOn(disk)).toBe("4");
  expect(renames).toEqual(["old", "1"]);
});

test("a replacement that fails fails those that waited for it alone; the next one is written", async () => {
  const disk = diskWithOld();
  const checkpoint = checkpointOn(disk);
  disk.fail({ operation: "sync", code: "EIO" });
  const first = checkpoint.replaceLater(topics("1"));
  const refused = expect(first).rejects.toThrow("EIO");
  await Promise.resolve();
  await Promise.resolve();
  const second = checkpoint.replaceLater(topics("2"));
  await refused;
  await second;
  expect(valueOn(disk)).toBe("2");
});

test("a replace() overtakes what is under way and what waits: the later call stands", async () => {
  const disk = diskWithOld();
  const checkpoint = checkpointOn(disk);
  disk.holdSyncs();
  const running = checkpoint.replaceLater(topics("running"));
  await Promise.resolve();
  await Promise.resolve();
  const waiting = checkpoint.replaceLater(topics("waiting"));
  checkpoint.replace(topics("now"));
  expect(valueOn(disk)).toBe("now");
  disk.releaseSyncs();
  await Promise.all([running, waiting]);
  expect(valueOn(disk)).toBe("now");
  expect(disk.readFolder("/d").map(({ name }) => name)).toEqual(["metadata.json"]);

  const later = checkpoint.replaceLater(topics("later"));
  await checkpoint.settled();
  await later;
  expect(valueOn(disk)).toBe("later");
});

test("takes the value when it is called, not when it is written", async () => {
  const disk = diskWithOld();
  const names = ["as called"];
  const done = checkpointOn(disk).replaceLater({ topics: names });
  names[0] = "changed since";
  await done;
  expect(valueOn(disk)).toBe("as called");
});

test("after it is abandoned, what is under way and what waits changes the disk no more", async () => {
  const disk = diskWithOld();
  const abandoned = checkpointOn(disk);
  disk.holdSyncs();
  const running = abandoned.replaceLater(topics("running"));
  await Promise.resolve();
  await Promise.resolve();
  const waiting = abandoned.replaceLater(topics("waiting"));
  const both = Promise.allSettled([running, waiting]);
  abandoned.abandon();
  const owner = checkpointOn(disk);
  owner.removeStrays();
  owner.replace(topics("owner"));
  const changes = disk.changeCount;
  disk.releaseSyncs();
  expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await abandoned.settled();
  expect(disk.changeCount, "the sync that was under way, and nothing after it").toBe(changes + 1);
  expect(owner.read()).toEqual(topics("owner"));
});

import { assignBatch, encodeBatch, HEADER_BYTES } from "@minikafka/record";
import { expect, test } from "vitest";
import type { DiskFile } from "../../env/disk.ts";
import { MemoryDisk } from "../../env/memory-disk.ts";
import { type ScanEnd, type ScanRange, scanFrames } from "./frame-scan.ts";

function frameAt(baseOffset: number, valueBytes: number, records = 1): Buffer {
  const record = { key: null, value: Buffer.alloc(valueBytes, 7), timestampMs: 1, headers: [] };
  const frame = encodeBatch({ records: Array.from({ length: records }, () => record) });
  assignBatch(frame, { baseOffset, leaderEpoch: 0 });
  return frame;
}

function fileOf(...frames: Buffer[]): DiskFile {
  const file = new MemoryDisk().openFile("/a", { create: "exclusive" });
  file.writeAt(0, Buffer.concat(frames));
  return file;
}

function scanned(file: DiskFile, changes: Partial<ScanRange> = {}): { offsets: number[]; end: ScanEnd } {
  const offsets: number[] = [];
  const range = {
    from: 0,
    end: file.sizeBytes(),
    offset: 10,
    frameBytesMax: 300_000,
    check: "whole",
    ...changes,
  } as const;
  const end = scanFrames(file, range, ({ header }) => {
    offsets.push(header.baseOffset);
    return true;
  });
  return { offsets, end };
}

const frames = [frameAt(10, 5, 3), frameAt(13, 200_000), frameAt(14, 0, 2), frameAt(16, 100_000)];

test.each(["whole", "headers"] as const)(
  "a walk by %s meets every frame, however large, in few reads",
  (check) => {
    const file = fileOf(...frames);
    expect(scanned(file, { check })).toEqual({
      offsets: [10, 13, 14, 16],
      end: { position: file.sizeBytes(), nextOffset: 17, problem: null },
    });
  },
);

test("a frame is checked wherever the reads part it", () => {
  const whole = Buffer.concat(frames);
  const position = frames[0]?.length ?? 0;
  for (let chunkBytes = position; chunkBytes < position + 200; chunkBytes++) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(9, position + 1000);
    const { offsets, end } = scanned(fileOf(bytes), { chunkBytes });
    expect(offsets).toEqual([10]);
    expect(end).toMatchObject({ position, problem: expect.stringContaining("CRC") });
  }
});

test.each(["whole", "headers"] as const)("a walk by %s ends where a frame is cut short", (check) => {
  const file = fileOf(frames[0] ?? Buffer.alloc(0), frameAt(13, 50));
  const start = frames[0]?.length ?? 0;
  const size = file.sizeBytes();
  for (let end = start + 1; end < size; end++) {
    const result = scanned(file, { check, end });
    expect(result.offsets).toEqual([10]);
    expect(result.end).toMatchObject({ position: start, nextOffset: 13 });
    expect(result.end.problem).not.toBeNull();
  }
});

test("a whole frame with another offset than the next ends the walk", () => {
  for (const stale of [0, 12, 14]) {
    const { offsets, end } = scanned(fileOf(frameAt(10, 5, 3), frameAt(stale, 5)));
    expect(offsets).toEqual([10]);
    expect(end.problem).toContain("expected 13");
  }
});

test("a walk by headers does not see a damaged record, one of whole frames does", () => {
  const damaged = frameAt(13, 50);
  damaged.writeUInt8(0, HEADER_BYTES + 20);
  const file = fileOf(frameAt(10, 5, 3), damaged);
  expect(scanned(file, { check: "headers" }).offsets).toEqual([10, 13]);
  expect(scanned(file).offsets).toEqual([10]);
});

test("a visitor that has seen enough ends the walk before its frame", () => {
  const file = fileOf(...frames);
  const end = scanFrames(
    file,
    { from: 0, end: file.sizeBytes(), offset: 10, frameBytesMax: 300_000, check: "headers" },
    ({ header }) => header.baseOffset < 14,
  );
  expect(end).toMatchObject({ nextOffset: 14, problem: null });
});

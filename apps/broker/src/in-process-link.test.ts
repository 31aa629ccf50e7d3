import { once } from "node:events";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { inProcessLink } from "./in-process-link.ts";

async function readAll(stream: Duplex): Promise<string> {
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(stream, "end");
  return text;
}

test("what one end writes the other reads, both ways and in order", async () => {
  const [left, right] = inProcessLink();
  left.write("to the ");
  left.end("right");
  right.write("to the ");
  right.end("left");
  expect(await Promise.all([readAll(right), readAll(left)])).toEqual(["to the right", "to the left"]);
});

test("an end that has ended can still be written to, as a half-closed socket", async () => {
  const [left, right] = inProcessLink();
  left.end("question");
  expect(await readAll(right)).toBe("question");
  right.end("answer");
  expect(await readAll(left)).toBe("answer");
});

test("a peer that does not read holds the writer up, and reading lets it go on", async () => {
  const [left, right] = inProcessLink();
  const chunk = Buffer.alloc(64 * 1024);
  let written = 0;
  while (left.write(chunk)) written += 1;
  expect(written).toBeLessThan(10);
  expect(left.writableLength).toBeGreaterThan(0);
  right.resume();
  await once(left, "drain");
  expect(left.writableLength).toBe(0);
});

test("a buffer that is changed after it was written arrives as it was", async () => {
  const [left, right] = inProcessLink();
  const buffer = Buffer.from("before");
  left.write(buffer);
  buffer.write("after!");
  left.end();
  expect(await readAll(right)).toBe("before");
});

test("when one end is destroyed, the other sees the end of the stream and fails to write", async () => {
  const [left, right] = inProcessLink();
  left.write("last words");
  left.destroy();
  expect(await readAll(right)).toBe("last words");
  const failed = once(right, "error");
  right.write("anybody there?");
  expect((await failed)[0]).toMatchObject({ code: "EPIPE" });
});

test("a write under way fails when the other end is destroyed", async () => {
  const [left, right] = inProcessLink();
  const failed = once(left, "error");
  while (left.write(Buffer.alloc(64 * 1024)));
  right.destroy();
  expect((await failed)[0]).toMatchObject({ code: "EPIPE" });
});

test("what is answered, and asked again, while several writes are handed over at once is not lost", async () => {
  const [left, right] = inProcessLink();
  const asked: string[] = [];
  right.on("data", (chunk: Buffer) => {
    for (const question of chunk.toString().trimEnd().split("\n")) {
      asked.push(question);
      right.write(`${question}\n`);
    }
  });
  let [next, answers] = [0, 0];
  const ask = () => {
    next += 1;
    left.write(`${next}\n`);
  };
  const done = new Promise<void>((resolve) => {
    left.on("data", (chunk: Buffer) => {
      for (const _answer of chunk.toString().trimEnd().split("\n")) {
        answers += 1;
        if (next < 3_000) ask();
        if (answers === 3_000) resolve();
      }
    });
  });
  while (next < 128) ask();
  await done;
  expect(asked).toEqual(Array.from({ length: 3_000 }, (_, index) => String(index + 1)));
  await new Promise((turn) => setImmediate(turn));
  expect([left.writableLength, right.writableLength]).toEqual([0, 0]);
});

test("ends that answer each other at once let the event loop turn", async () => {
  const [left, right] = inProcessLink();
  right.on("data", (chunk: Buffer) => right.write(chunk));
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  let answers = 0;
  for (; !hasTurned && answers < 1_000; answers += 1) {
    const answer = once(left, "data");
    left.write("a");
    await answer;
  }
  expect(answers).toBeLessThan(1_000);
});

test("a test's own timers in the place of the system's hold nothing up", async () => {
  vi.useFakeTimers({ toFake: ["setImmediate", "setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const [left, right] = inProcessLink();
  const read = readAll(right);
  for (let chunk = 0; chunk < 40; chunk += 1) await new Promise((taken) => left.write(".", taken));
  left.end();
  expect(await read).toBe(".".repeat(40));
});

test("whichever chunk is the last before an end is destroyed, it can still be read", async () => {
  for (let count = 1; count <= 40; count += 1) {
    const [left, right] = inProcessLink();
    const read = readAll(right);
    for (let chunk = 1; chunk < count; chunk += 1) await new Promise((taken) => left.write(".", taken));
    left.write("!");
    left.destroy();
    expect(await read).toBe(`${".".repeat(count - 1)}!`);
  }
});

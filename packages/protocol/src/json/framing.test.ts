import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameTooLarge, LineFramer } from "./framing.ts";

function drain(framer: LineFramer): string[] {
  const lines: string[] = [];
  for (let line = framer.next(); line !== null; line = framer.next()) lines.push(line.toString());
  return lines;
}

const lines = fc.array(
  fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, "x")),
  { maxLength: 12 },
);

test("lines come out as they went in, wherever the stream was cut and whenever they are taken", () => {
  fc.assert(
    fc.property(
      lines,
      fc.string({ maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      fc.boolean(),
      (whole, rest, cuts, eager) => {
        const tail = rest.replaceAll(/[\r\n]/g, "y");
        const stream = Buffer.from(whole.map((line) => `${line}\n`).join("") + tail);
        const framer = new LineFramer(1000);
        const got: string[] = [];
        let from = 0;
        for (const cut of [
          ...cuts.map((each) => each % (stream.length + 1)).sort((a, b) => a - b),
          stream.length,
        ]) {
          framer.push(stream.subarray(from, cut));
          from = cut;
          // Taking one line only leaves others behind while more comes in.
          if (eager) got.push(...drain(framer));
          else {
            const isReady = framer.isReady;
            const line = framer.next();
            expect(isReady).toBe(line !== null);
            if (line !== null) got.push(String(line));
          }
        }
        got.push(...drain(framer));
        expect(got).toEqual(whole);
        expect(framer.pendingBytes).toBe(Buffer.byteLength(tail));
      },
    ),
  );
});

test("lines that nobody takes for long cost what they weigh, however small the pieces are in which they come", () => {
  const framer = new LineFramer(12);
  const stream = Buffer.from("ten bytes!\n".repeat(64));
  const pieces = 40_000;
  for (let piece = 0; piece < pieces; piece += 1) framer.push(stream);
  let lines = 0;
  for (let line = framer.next(); line !== null; line = framer.next()) lines += line.length === 10 ? 1 : 0;
  expect(lines).toBe(64 * pieces);
  expect(framer.pendingBytes).toBe(0);
});

test("a chunk's memory may be used for the next one as soon as no whole line is left of it", () => {
  fc.assert(
    fc.property(lines, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 }), (whole, sizes) => {
      const stream = Buffer.from(whole.map((line) => `${line}\n`).join(""));
      for (const keptBytesMax of [0, 8, 1000]) {
        const framer = new LineFramer(1000, keptBytesMax);
        const memory = Buffer.alloc(stream.length);
        const got: string[] = [];
        for (let from = 0, turn = 0; from < stream.length; turn += 1) {
          const chunkBytes = stream.copy(memory, 0, from, from + (sizes[turn] ?? stream.length));
          framer.push(memory.subarray(0, chunkBytes));
          got.push(...drain(framer));
          memory.fill("\n");
          from += chunkBytes;
        }
        expect(got).toEqual(whole);
      }
    }),
  );
});

test("a carriage return before the newline belongs to the line end, one elsewhere to the line", () => {
  const framer = new LineFramer(100);
  framer.push(Buffer.from("a\r\n\r\nb\rc\n"));
  expect(drain(framer)).toEqual(["a", "", "b\rc"]);
});

test("a line of just the limit is taken, one byte more is refused, finished or not", () => {
  const exact = new LineFramer(10);
  exact.push(Buffer.from("0123456789\n"));
  expect(drain(exact)).toEqual(["0123456789"]);
  const finished = new LineFramer(10);
  finished.push(Buffer.from("01234567890\n"));
  expect(() => finished.next()).toThrow(FrameTooLarge);
  const unfinished = new LineFramer(10);
  unfinished.push(Buffer.from("012345"));
  expect(unfinished.next()).toBeNull();
  unfinished.push(Buffer.from("67890"));
  expect(() => unfinished.next()).toThrow(/11 bytes or more; at most 10/);
});

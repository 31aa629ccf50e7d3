import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { OutputClosed } from "../failure.ts";
import { DataSink } from "./data-sink.ts";

const epipe = () => Object.assign(new Error("nobody reads"), { code: "EPIPE" });

/** A reader that takes one write and asks for no more until it is let on. */
function slowReader() {
  const taken: string[] = [];
  let letOn: () => void = () => undefined;
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      letOn = done;
    },
  });
  return { stream, taken, letOn: () => letOn() };
}

test("a slow reader slows the writer down", async () => {
  const reader = slowReader();
  const sink = new DataSink(reader.stream);
  let isWritten = false;
  const written = sink.line("a").then(() => {
    isWritten = true;
  });
  await Promise.resolve();
  expect([reader.taken, isWritten]).toEqual([["a\n"], false]);
  reader.letOn();
  await written;
  expect(isWritten).toBe(true);
});

test("a reader that goes away while a write waits ends the wait, and every write after it", async () => {
  const reader = slowReader();
  const sink = new DataSink(reader.stream);
  const waiting = sink.line("a");
  reader.stream.destroy(epipe());
  await expect(waiting).rejects.toBeInstanceOf(OutputClosed);
  await expect(sink.json({})).rejects.toBeInstanceOf(OutputClosed);
  expect(sink.isOpen).toBe(false);
  await sink.flushed();
});

test("who asks to be told of the end is told, also when it has been", async () => {
  const stream = new PassThrough();
  const sink = new DataSink(stream);
  const told: string[] = [];
  sink.onClosed(() => told.push("before"));
  stream.destroy(epipe());
  await sink.line("a").catch(() => undefined);
  await new Promise<void>((resolve) => sink.onClosed(resolve));
  expect(told).toContain("before");
});

test("an error that is not the reader's going away is the writer's to hear", async () => {
  const stream = new PassThrough();
  const sink = new DataSink(stream);
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  stream.destroy(full);
  await new Promise<void>((resolve) => sink.onClosed(resolve));
  await expect(sink.line("a")).rejects.toBe(full);
});

test("flushed means that all has left", async () => {
  const left: string[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      process.nextTick(() => {
        left.push(chunk.toString());
        done();
      });
    },
  });
  const sink = new DataSink(stream);
  const written = ["a", "b", "c"].map((text) => sink.write(text));
  await sink.flushed();
  expect(left.join("")).toBe("abc");
  await Promise.all(written);
});

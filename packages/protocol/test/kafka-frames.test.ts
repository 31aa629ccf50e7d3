import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  API_TABLE,
  FrameRefused,
  FrameSplitter,
  Malformed,
  openRequest,
  Reader,
  readRequest,
  readResponse,
  readResponseHeader,
  requestFrame,
  responseFrame,
} from "../src/kafka/index.ts";

const apiVersions = API_TABLE[18];
const metadata = API_TABLE[3];
const fetch = API_TABLE[1];

function framed(body: Uint8Array): Buffer {
  const frame = Buffer.alloc(4 + body.length);
  frame.writeInt32BE(body.length);
  frame.set(body, 4);
  return frame;
}

function sizeOnly(size: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(size);
  return bytes;
}

function drain(splitter: FrameSplitter): Buffer[] {
  const frames: Buffer[] = [];
  for (let frame = splitter.next(); frame !== null; frame = splitter.next()) frames.push(frame);
  return frames;
}

describe("a stream of frames", () => {
  test("frames come out as they went in, wherever the stream was cut and whenever they are taken", () => {
    const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 12 }), { maxLength: 8 });
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(), { maxLength: 30 }), fc.boolean(), (drawn, cuts, eager) => {
        const unfinished = framed(Buffer.from("rest")).subarray(0, 6);
        const stream = Buffer.concat([...drawn.map(framed), unfinished]);
        const splitter = new FrameSplitter(12);
        const got: Buffer[] = [];
        const places = cuts.map((cut) => cut % (stream.length + 1)).sort((one, other) => one - other);
        let from = 0;
        for (const cut of [...places, stream.length]) {
          splitter.push(stream.subarray(from, cut));
          from = cut;
          const isReady = splitter.isReady;
          const frame = splitter.next();
          expect(frame !== null).toBe(isReady);
          if (frame !== null) got.push(frame);
          if (eager) got.push(...drain(splitter));
        }
        got.push(...drain(splitter));
        expect(got).toEqual(drawn.map((body) => Buffer.from(body)));
        expect(splitter.pendingBytes).toBe(unfinished.length);
      }),
    );
  });

  test("frames that nobody takes for long cost what they weigh, however small the pieces are in which they come", () => {
    const splitter = new FrameSplitter(12);
    const stream = Buffer.concat(Array.from({ length: 64 }, () => framed(Buffer.from("ten bytes!"))));
    const pieces = 40_000;
    for (let piece = 0; piece < pieces; piece += 1) splitter.push(stream);
    expect(splitter.pendingBytes).toBe(pieces * stream.length);
    let frames = 0;
    for (let frame = splitter.next(); frame !== null; frame = splitter.next()) {
      if (frame.toString() !== "ten bytes!") throw new Error(`frame ${frames} is ${frame}`);
      frames += 1;
    }
    expect(frames).toBe(64 * pieces);
    expect(splitter.pendingBytes).toBe(0);
  });

  test("a frame that was handed out stays as it is, whatever comes in behind it", () => {
    const splitter = new FrameSplitter(12);
    for (const text of ["one", "two", "three"]) splitter.push(framed(Buffer.from(text)));
    const frames = [splitter.next()];
    for (let piece = 0; piece < 100; piece += 1) splitter.push(framed(Buffer.from("more")));
    frames.push(splitter.next());
    for (let piece = 0; piece < 100; piece += 1) splitter.push(framed(Buffer.from("and more")));
    frames.push(splitter.next());
    expect(frames.map(String)).toEqual(["one", "two", "three"]);
  });

  test.for([0, -1, 101, 0x7fff_ffff, -0x8000_0000])(
    "a size of %i is refused before anything behind it came",
    (size) => {
      const splitter = new FrameSplitter(100);
      splitter.push(sizeOnly(size));
      expect(splitter.isReady).toBe(true);
      expect(() => splitter.next()).toThrow(FrameRefused);
      expect(() => splitter.next()).toThrow(`a frame of ${size} bytes; from 1 to 100 are taken`);
    },
  );

  test("a frame of the greatest size is taken, also when it comes byte by byte", () => {
    const body = Buffer.alloc(3000, "x");
    const splitter = new FrameSplitter(body.length);
    const stream = framed(body);
    for (const byte of stream.subarray(0, -1)) {
      splitter.push(Buffer.of(byte));
      expect(splitter.next()).toBeNull();
    }
    splitter.push(stream.subarray(-1));
    expect(splitter.next()).toEqual(body);
    expect(splitter.pendingBytes).toBe(0);
  });

  test("a frame that was handed out stays as it is when others follow in pieces", () => {
    const splitter = new FrameSplitter(100);
    const took = ["one", "two"].map((text) => {
      const stream = framed(Buffer.from(text));
      splitter.push(stream.subarray(0, 5));
      expect(splitter.next()).toBeNull();
      splitter.push(stream.subarray(5));
      return splitter.next();
    });
    expect(took.map(String)).toEqual(["one", "two"]);
  });
});

function bodyOf(parts: Buffer[]): Buffer {
  const splitter = new FrameSplitter(1_000_000);
  splitter.push(Buffer.concat(parts));
  const frame = splitter.next();
  expect(splitter.pendingBytes).toBe(0);
  return frame ?? Buffer.alloc(0);
}

describe("requests in frames", () => {
  test.for([0, 8, 9, 12])("a request of Metadata %i is opened and read", (apiVersion) => {
    const header = { apiVersion, correlationId: -5, clientId: "some client" };
    const frame = bodyOf(requestFrame(metadata, header, { topics: [{ name: "t" }] }));
    const opened = openRequest(frame);
    expect(opened).toMatchObject({ header: { apiKey: 3, ...header }, api: metadata, isServed: true });
    expect(readRequest(metadata, apiVersion, opened.body).topics).toMatchObject([{ name: "t" }]);
    expect(opened.body.remaining).toBe(0);
  });

  test("a client without a name has none", () => {
    const frame = bodyOf(
      requestFrame(metadata, { apiVersion: 9, correlationId: 1, clientId: null }, { topics: [] }),
    );
    expect(openRequest(frame).header.clientId).toBeNull();
  });

  test.for([
    ["a key that nobody has", 99, 0, null],
    ["a version that is too new", 18, 5, apiVersions],
    ["a version below the first", 18, -1, apiVersions],
    ["a version that is named and not served", 0, 2, API_TABLE[0]],
  ] as const)(
    "%s is told by its header, and nothing behind it is read",
    ([_name, apiKey, apiVersion, api]) => {
      const frame = Buffer.alloc(8);
      frame.writeInt16BE(apiKey, 0);
      frame.writeInt16BE(apiVersion, 2);
      frame.writeInt32BE(77, 4);
      const opened = openRequest(frame);
      expect(opened.header).toEqual({ apiKey, apiVersion, correlationId: 77, clientId: null });
      expect(opened).toMatchObject({ api, isServed: false });
    },
  );

  test("a header that ends early is Malformed wherever it ends", () => {
    const frame = bodyOf(requestFrame(apiVersions, { apiVersion: 3, correlationId: 1, clientId: "c" }, {}));
    const headerBytes = 2 + 2 + 4 + 2 + 1 + 1;
    for (let length = 0; length < headerBytes; length += 1) {
      expect(() => openRequest(frame.subarray(0, length))).toThrow(Malformed);
    }
    expect(openRequest(frame.subarray(0, headerBytes)).body.remaining).toBe(0);
  });

  test("tagged fields of a header are skipped", () => {
    const frame = Buffer.from("0012000300000001000163" + "0107020102" + "010100", "hex");
    const { body } = openRequest(frame);
    expect(readRequest(apiVersions, 3, body)).toEqual({ clientSoftwareName: "", clientSoftwareVersion: "" });
  });
});

describe("responses in frames", () => {
  test.for([0, 8, 9, 12])("a response of Metadata %i is read again behind its header", (version) => {
    const response = { brokers: [], topics: [{ errorCode: 3, name: "t", partitions: [] }] };
    const reader = new Reader(bodyOf(responseFrame(metadata, version, 9, response)));
    expect(readResponseHeader(reader, metadata, version)).toBe(9);
    expect(readResponse(metadata, version, reader)).toMatchObject(response);
    expect(reader.remaining).toBe(0);
  });

  test.for([5, 4096, 1_000_000])(
    "records of %i bytes are in the frame where they belong; long ones are not copied",
    (length) => {
      const records = Buffer.alloc(length, "r");
      const partition = (partitionIndex: number) => ({
        partitionIndex,
        errorCode: 0,
        highWatermark: 1,
        records,
      });
      const responses = [{ topic: "t", partitions: [partition(0), partition(1)] }];
      const parts = responseFrame(fetch, 4, 1, { responses });
      expect(parts.filter((part) => part.buffer === records.buffer && part.length === length)).toHaveLength(
        length < 4096 ? 0 : 2,
      );
      const bytes = Buffer.concat(parts);
      expect(bytes.readInt32BE(0)).toBe(bytes.length - 4);
      const reader = new Reader(bytes.subarray(4));
      expect(readResponseHeader(reader, fetch, 4)).toBe(1);
      const read = readResponse(fetch, 4, reader).responses[0]?.partitions;
      expect(read?.map((each) => records.equals(each.records ?? Buffer.alloc(0)))).toEqual([true, true]);
      expect(reader.remaining).toBe(0);
    },
  );
});

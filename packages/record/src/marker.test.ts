import { expect, test } from "vitest";
import { encodeBatch } from "./batch.ts";
import { readBatchHeader } from "./batch-header.ts";
import { frameProblem } from "./frame-check.ts";
import { encodeMarker, readMarker, readMarkerValue } from "./marker.ts";
import { decodeRecords } from "./records-section.ts";

const MARKER = {
  producerId: 7,
  producerEpoch: 3,
  coordinatorEpoch: 2,
  firstOffset: 2 ** 40,
  timestampMs: 1000,
};

test.each(["commit", "abort"] as const)(
  "a %s marker is a whole control batch that says whose transaction ends",
  (control) => {
    const frame = encodeMarker({ control, ...MARKER });
    expect(frameProblem(frame, 0, 1024)).toBeNull();
    const header = readBatchHeader(frame);
    expect(header).toMatchObject({
      control,
      transactional: true,
      producerId: 7,
      producerEpoch: 3,
      baseSequence: -1,
      recordCount: 1,
    });
    expect(readMarker(frame)).toEqual({ coordinatorEpoch: 2, firstOffset: 2 ** 40 });
    expect(readMarkerValue(decodeRecords(frame)[0]?.value ?? null)).toEqual(readMarker(frame));
  },
);

test("a marker begins with the bytes of Kafka's: version and type, version and coordinator epoch", () => {
  const [record] = decodeRecords(encodeMarker({ control: "commit", ...MARKER }));
  expect(toHex(record?.key)).toBe("00000001");
  expect(toHex(record?.value).slice(0, 12)).toBe("000000000002");
});

test("what is no marker's value is not taken for one", () => {
  const frame = encodeBatch({
    records: [{ key: null, value: Buffer.from("short"), timestampMs: 1, headers: [] }],
  });
  expect(readMarker(frame)).toBeNull();
});

function toHex(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString("hex");
}

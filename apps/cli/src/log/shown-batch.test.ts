import { expect, test } from "vitest";
import { batchDocument, batchText, type ShownBatch } from "./shown-batch.ts";

const BATCH: ShownBatch = {
  segment: 100,
  position: 83,
  size_bytes: 78,
  base_offset: 104,
  next_offset: 106,
  record_count: 2,
  leader_epoch: 3,
  timestamp_type: "create",
  first_timestamp_ms: 5,
  max_timestamp_ms: 9,
  producer_id: 7,
  producer_epoch: 1,
  base_sequence: 40,
  transactional: true,
  control: null,
  codec: "none",
  delete_horizon_ms: null,
  crc: 12,
  problem: null,
};

test("a batch is one line with the names of Kafka's DumpLogSegments", () => {
  expect(batchText(BATCH)).toBe(
    "baseOffset: 104 lastOffset: 105 count: 2 baseSequence: 40 lastSequence: 41 producerId: 7 producerEpoch: 1 " +
      "partitionLeaderEpoch: 3 isTransactional: true isControl: false position: 83 CreateTime: 9 size: 78 magic: MKB1 " +
      "compresscodec: none crc: 12 isvalid: true\n",
  );
});

test("a marker says which it is, a damaged batch that it is not valid, an unknown codec that it is unknown", () => {
  const text = batchText({
    ...BATCH,
    control: "abort",
    timestamp_type: "append",
    codec: null,
    delete_horizon_ms: 77,
    problem: "CRC",
  });
  expect(text).toContain(" deleteHorizonMs: 77 crc: 12 ");
  for (const part of ["isControl: true endTxnMarker: abort", "LogAppendTime: 9", "compresscodec: unknown"])
    expect(text).toContain(part);
  expect(text).toContain("isvalid: false\n");
});

test("records are lines of their own, and in JSON as fetch -J prints them", () => {
  const record = {
    topic: "orders",
    partition: 1,
    offset: 104,
    timestampMs: 5,
    key: null,
    value: Buffer.from([0xff]),
    headers: [{ key: "trace", value: null }],
  };
  const batch = { ...BATCH, records: [record] };
  expect(batchText(batch).split("\n")[1]).toMatch(
    /^\| offset: 104 CreateTime: 5 keySize: -1 valueSize: 1 headerKeys: \[trace\] payload: /,
  );
  expect(batchDocument(batch)).toMatchObject({
    type: "batch",
    base_offset: 104,
    records: [{ topic: "orders", partition: 1, offset: 104, key: null, value_b64: "/w==" }],
  });
});

test("the record of a marker says who wrote it and where its transaction began, not its bytes", () => {
  const record = {
    topic: "orders",
    partition: 1,
    offset: 104,
    timestampMs: 5,
    key: Buffer.from("00000001", "hex"),
    value: Buffer.from("0000000000020000000000000064", "hex"),
    headers: [],
  };
  const batch: ShownBatch = { ...BATCH, control: "commit", records: [record] };
  expect(batchText(batch).split("\n")[1]).toBe(
    "| offset: 104 CreateTime: 5 keySize: 4 valueSize: 14 headerKeys: [] endTxnMarker: commit coordinatorEpoch: 2 firstOffset: 100",
  );
  expect(batchDocument(batch)).toMatchObject({
    records: [{ offset: 104, marker: { coordinator_epoch: 2, first_offset: 100 } }],
  });
  const strange = { ...record, value: Buffer.from("?") };
  expect(batchText({ ...batch, records: [strange] })).toContain("payload: ?");
});

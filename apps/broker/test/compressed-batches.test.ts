/** Batches that a producer has compressed: taken, kept and sent as they came, and shown with their records to who asks for those. */
import { compression } from "@minikafka/compression";
import { encodeBatch, packedFrame, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };
const CODECS = ["gzip", "snappy", "lz4", "zstd"] as const;
type Codec = (typeof CODECS)[number];

const text = (value: unknown) => Buffer.from(String(value), "base64").toString();

function batch(codec: Codec, values: readonly string[], timestampMs = 1000): Buffer {
  const records = values.map((value, index) => ({
    key: Buffer.from("k"),
    value: Buffer.from(value),
    timestampMs: timestampMs + index,
    headers: [{ key: "codec", value: Buffer.from(codec) }],
  }));
  return packedFrame(encodeBatch({ records }), codec, compression);
}

async function orders(): Promise<Session> {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  return session;
}

const produce = (session: Session, frame: Buffer) =>
  session.call("produce", { ...PLACE, batch_b64: frame.toString("base64") });

const valuesOf = ({ records }: { readonly records?: unknown }) =>
  (records as { value_b64: string }[]).map(({ value_b64 }) => text(value_b64));

test.each(CODECS)(
  "a batch that was packed with %s keeps its bytes, and its records are read and found",
  async (codec) => {
    const session = await orders();
    const sent = batch(codec, ["one", "two", "three"]);
    expect(await produce(session, sent)).toMatchObject({ ok: true, offset: 0 });
    const { batches_b64 } = await session.call("fetch", { ...PLACE, offset: 1, encoding: "batch" });
    const kept = Buffer.from(String(batches_b64), "base64");
    expect(kept.subarray(64).equals(sent.subarray(64))).toBe(true);
    expect(readBatchHeader(kept).codec).toBe(codec);

    const shown = await session.call("fetch", { ...PLACE, offset: 1 });
    expect(shown).toMatchObject({
      next_offset: 3,
      records: [{ offset: 1, timestamp_ms: 1001 }, { offset: 2 }],
    });
    expect(valuesOf(shown)).toEqual(["two", "three"]);
    expect(await session.call("list_offsets", { ...PLACE, timestamp_ms: 1002 })).toMatchObject({
      offset: 2,
    });
    expect(await session.call("find_in_log", { ...PLACE, offset: 1 })).toMatchObject({
      batch: { codec },
      record: { offset: 1, timestamp_ms: 1001, place: 1 },
    });
    const { batches } = await session.call("dump_log", { ...PLACE, records: true });
    expect(batches).toMatchObject([{ codec, records: [{ offset: 0 }, { offset: 1 }, { offset: 2 }] }]);
  },
);

test("records of packed batches come in steps of any size, and what they unpack to counts among max_bytes", async () => {
  const session = await orders();
  const large = "x".repeat(100_000);
  for (const codec of CODECS) await produce(session, batch(codec, [large, `last of ${codec}`]));
  for (const limits of [{ max_records: 1 }, { max_bytes: 1 }, { max_bytes: 150_000 }, {}]) {
    const lengths: number[] = [];
    let answers = 0;
    for (let offset = 0; offset < 8; answers += 1) {
      const answer = await session.call("fetch", { ...PLACE, offset, ...limits });
      expect(answer.next_offset).toBeGreaterThan(offset);
      lengths.push(...valuesOf(answer).map(({ length }) => length));
      offset = Number(answer.next_offset);
    }
    expect(lengths).toEqual(CODECS.flatMap((codec) => [100_000, `last of ${codec}`.length]));
    if ("max_bytes" in limits) expect(answers).toBeGreaterThan(1);
  }
});

test("a batch that unpacks to more than the bound is RECORD_TOO_LARGE, damaged ones are INVALID_RECORD, and all goes on", async () => {
  const session = await orders();
  const refused = (frame: Buffer) =>
    session.ask({ operation: "produce", ...PLACE, batch_b64: frame.toString("base64") });
  const bomb = batch("zstd", ["0".repeat(33 * 1024 * 1024)]);
  expect(bomb.length).toBeLessThan(100_000);
  expect(await refused(bomb)).toMatchObject({ code: "RECORD_TOO_LARGE" });
  for (const codec of CODECS) {
    const mistaken = packedFrame(batch("gzip", ["v"]), codec, {
      ...compression,
      compress: () => Buffer.from("?"),
    });
    expect(await refused(mistaken)).toMatchObject({ code: "INVALID_RECORD" });
  }
  expect(await produce(session, batch("lz4", ["sound"]))).toMatchObject({ offset: 0 });
});

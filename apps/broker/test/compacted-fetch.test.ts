/** Fetching of a compacted topic: the offsets that are gone are stepped over in both encodings, one answer after the other. */
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import { type Answer, base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "profiles", partition: 0 };

/** Keys a, b and c in turn, of which the offsets 20 to 22 are the latest below the last segment; then one more record. */
async function compacted(): Promise<Session> {
  const session = Session.open(await openBroker());
  const config = { cleanup_policy: "compact", segment_bytes: 1024 };
  await session.call("create_topic", { topic: "profiles", partitions: 1, config });
  for (let number = 0; number < 23; number++) {
    const value_b64 = base64(`${number}`.padEnd(60, "."));
    await session.call("produce", { ...PLACE, key_b64: base64("abc".charAt(number % 3)), value_b64 });
  }
  await session.call("produce", { ...PLACE, key_b64: base64("d"), value_b64: base64("x".repeat(1000)) });
  await session.call("flush_logs");
  const { compacted: passes } = await session.call("compact", { topic: "profiles" });
  expect(passes).toMatchObject([{ records_kept: 3, records_dropped: 20 }]);
  return session;
}

/** Fetches from 0 on until the end, and returns the answers. */
async function fetchAll(session: Session, fields: object): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let offset = 0; offset < 24; ) {
    const answer = await session.call("fetch", { ...PLACE, offset, ...fields });
    expect(answer.next_offset).toBeGreaterThan(offset);
    offset = Number(answer.next_offset);
    answers.push(answer);
  }
  return answers;
}

const offsetsIn = (answers: readonly Answer[]) =>
  answers.flatMap(({ records }) => (records as { offset: number }[]).map(({ offset }) => offset));

test("records come in steps of any size, and an answer without one leads on", async () => {
  const session = await compacted();
  for (const fields of [{}, { max_records: 1 }, { max_bytes: 1 }]) {
    const answers = await fetchAll(session, fields);
    expect(offsetsIn(answers), JSON.stringify(fields)).toEqual([20, 21, 22, 23]);
  }
  const first = await session.call("fetch", { ...PLACE, offset: 0, max_bytes: 1 });
  expect(first).toMatchObject({ records: [], high_watermark: 24, log_start_offset: 0 });
});

test("batches come as they lie there, gaps among them, and join without a hole", async () => {
  const session = await compacted();
  const answers = await fetchAll(session, { encoding: "batch", max_bytes: 200 });
  const frames = answers.flatMap(({ batches_b64 }) =>
    splitFrames(Buffer.from(String(batches_b64), "base64")),
  );
  const headers = frames.map((frame) => readBatchHeader(frame));
  let next = 0;
  for (const { baseOffset, nextOffset } of headers) {
    expect(baseOffset).toBe(next);
    next = nextOffset;
  }
  expect(headers.filter(({ recordCount }) => recordCount === 0).length).toBeGreaterThan(1);
  expect(frames.flatMap(decodeRecords).map(({ offset }) => offset)).toEqual([20, 21, 22, 23]);
});

test("a fetch that may wait does not wait at an offset that is gone", async () => {
  const session = await compacted();
  const patient = { ...PLACE, offset: 3, max_bytes: 1, min_bytes: 1, max_wait_ms: 60_000 };
  const answer = await session.call("fetch", patient);
  expect(answer).toMatchObject({ records: [] });
  expect(answer.next_offset).toBeGreaterThan(3);
});

test("a dump shows what compaction has left, and finds nothing wrong with it", async () => {
  const session = await compacted();
  const dump = await session.call("dump_log", { ...PLACE, max_batches: 100 });
  const batches = dump.batches;
  expect(dump).toMatchObject({ damage: [], next_offset: 24 });
  expect(batches.map(({ problem }) => problem)).toEqual(batches.map(() => null));
  expect(batches.map(({ record_count }) => record_count)).toContain(0);
});

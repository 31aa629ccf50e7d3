import { expect, test } from "vitest";
import { countedFields, countedText, Measurement, measuredFields, measuredText } from "./measurement.ts";

const MIB = 1024 * 1024;

/** A record every millisecond, the nth of which took n ms. */
function hundredRecords(): Measurement {
  const measurement = new Measurement(0);
  for (let record = 1; record <= 100; record++) measurement.add(1, MIB, { beganMs: 0, nowMs: record });
  return measurement;
}

test("a measurement is told in the words of kafka-producer-perf-test", () => {
  expect(measuredText("sent", hundredRecords().measured())).toBe(
    "100 records sent, 1000.0 records/sec (1000.00 MB/sec), 50.50 ms avg latency, 100.00 ms max latency, " +
      "50.02 ms 50th, 95.04 ms 95th, 99.01 ms 99th, 100.00 ms 99.9th.",
  );
});

test("percentiles are those of what was added, to three digits, and for programs as well", () => {
  const { latency_ms, ...fields } = measuredFields(hundredRecords().measured());
  expect(fields).toEqual({
    records: 100,
    bytes: 100 * MIB,
    seconds: 0.1,
    records_per_second: 1000,
    mb_per_second: 1000,
  });
  const expected = { avg: 50.5, max: 100, p50: 50, p95: 95, p99: 99, p99_9: 100 };
  for (const [name, value] of Object.entries(expected)) {
    const told = latency_ms?.[name] ?? Number.NaN;
    expect(Math.abs(told - value) / value, name).toBeLessThan(0.001);
  }
});

test("records that came together are counted one by one, and their time once", () => {
  const measurement = new Measurement(0);
  measurement.add(500, 5_000, { beganMs: 0, nowMs: 10 });
  const { records, latencyMs } = measurement.measured();
  expect([records, Math.round(latencyMs?.avg ?? 0)]).toEqual([500, 10]);
});

test("time stands still behind the last record: what is waited for afterwards makes nothing slower", () => {
  expect(hundredRecords().measured()).toEqual(hundredRecords().measured());
});

test("what is counted is told by how many in how long, and for programs by its name", () => {
  const joins = new Measurement(0);
  for (const nowMs of [10, 20]) joins.add(1, 0, { beganMs: nowMs - 10, nowMs });
  expect(countedText("joins", joins.measured())).toBe(
    "2 joins in 0.02 s, 10.00 ms avg latency, 10.00 ms max latency, 10.00 ms 50th, 10.00 ms 95th, 10.00 ms 99th, 10.00 ms 99.9th.",
  );
  expect(countedFields("joins", joins.measured())).toMatchObject({
    joins: 2,
    seconds: 0.02,
    latency_ms: { max: 10 },
  });
  const nothing = new Measurement().measured();
  expect(countedText("starts", nothing)).toBe("0 starts in 0.00 s.");
  expect(countedText("starts", { ...nothing, records: 1 })).toBe("1 start in 0.00 s.");
  expect(countedFields("starts", nothing)).toEqual({ starts: 0, seconds: 0, latency_ms: null });
});

test("one alone is its own average, and no average is beyond the most", () => {
  const measurement = new Measurement(0);
  measurement.add(1, 0, { beganMs: 0, nowMs: 354.3312 });
  expect(measurement.measured().latencyMs).toMatchObject({ avg: 354.3312, max: 354.3312 });
});

test("nothing measured is told without a latency", () => {
  const nothing = new Measurement().measured();
  expect(measuredText("fetched", nothing)).toBe("0 records fetched, 0.0 records/sec (0.00 MB/sec).");
  expect(measuredFields(nothing)).toMatchObject({ records: 0, latency_ms: null });
});

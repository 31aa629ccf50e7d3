/**
 * What a bench has measured so far: records, bytes, and how long each took.
 *
 * Latencies are kept in node's own histogram (HdrHistogram, three significant digits), in microseconds, so that a million of them
 * cost no more memory than ten. Time is this machine's steady clock.
 */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";

export type Verb = "sent" | "fetched" | "sent and received";
/** What is measured one by one, and has no bytes. */
export type Counted = "joins" | "starts";

const MIB = 1024 * 1024;
const US_PER_MS = 1_000;

/** In ms, but `records` and `bytes`. */
export interface Measured {
  readonly records: number;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly recordsPerSecond: number;
  readonly mbPerSecond: number;
  /** `null` before anything was measured. */
  readonly latencyMs: Latency | null;
}

export interface Latency {
  readonly avg: number;
  readonly max: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p99_9: number;
}

export class Measurement {
  readonly #latencies: RecordableHistogram = createHistogram({ figures: 3 });
  readonly #startMs: number;
  #endMs: number;
  #records = 0;
  #bytes = 0;
  /** To the digit, which the histogram has not. */
  #maxMs = 0;
  #sumMs = 0;

  constructor(nowMs: number = performance.now()) {
    this.#startMs = nowMs;
    this.#endMs = nowMs;
  }

  get elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  get records(): number {
    return this.#records;
  }

  /** Records that took one time together, or one record. */
  add(records: number, bytes: number, { beganMs, nowMs = performance.now() }: Times): void {
    this.#records += records;
    this.#bytes += bytes;
    this.#endMs = nowMs;
    this.#maxMs = Math.max(this.#maxMs, nowMs - beganMs);
    this.#sumMs += nowMs - beganMs;
    this.#latencies.record(Math.max(1, Math.round((nowMs - beganMs) * US_PER_MS)));
  }

  /** Up to the last record: what came after it, such as the wait for an interruption, is nobody's time. */
  measured(): Measured {
    const elapsedMs = this.#endMs - this.#startMs;
    const perSecond = (amount: number) => (elapsedMs === 0 ? 0 : (amount / elapsedMs) * 1_000);
    return {
      records: this.#records,
      bytes: this.#bytes,
      elapsedMs,
      recordsPerSecond: perSecond(this.#records),
      mbPerSecond: perSecond(this.#bytes / MIB),
      latencyMs: this.#records === 0 ? null : this.#latency(),
    };
  }

  #latency(): Latency {
    // What it says is the upper end of a narrow range.
    const percentile = (of: number) => Math.min(this.#maxMs, this.#latencies.percentile(of) / US_PER_MS);
    return {
      avg: this.#sumMs / this.#latencies.count,
      max: this.#maxMs,
      p50: percentile(50),
      p95: percentile(95),
      p99: percentile(99),
      p99_9: percentile(99.9),
    };
  }
}

interface Times {
  readonly beganMs: number;
  readonly nowMs?: number;
}

/** In the words of kafka-producer-perf-test, with two decimals, since much is done in less than a millisecond. */
export function measuredText(verb: Verb, measured: Measured): string {
  const { latencyMs: latency } = measured;
  const rate = `${measured.records} records ${verb}, ${measured.recordsPerSecond.toFixed(1)} records/sec (${measured.mbPerSecond.toFixed(2)} MB/sec)`;
  return `${rate}${latencyText(latency)}.`;
}

/** The same of what is counted: how many in how long, and how long each took. */
export function countedText(what: Counted, { records, elapsedMs, latencyMs }: Measured): string {
  return `${records} ${records === 1 ? what.slice(0, -1) : what} in ${(elapsedMs / 1_000).toFixed(2)} s${latencyText(latencyMs)}.`;
}

function latencyText(latency: Latency | null): string {
  if (latency === null) return "";
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  return (
    `, ${ms(latency.avg)} avg latency, ${ms(latency.max)} max latency, ` +
    `${ms(latency.p50)} 50th, ${ms(latency.p95)} 95th, ${ms(latency.p99)} 99th, ${ms(latency.p99_9)} 99.9th`
  );
}

/** The shorter line of work that goes on. */
export function progressText(verb: Verb, measured: Measured): string {
  return `${measured.records} records ${verb}, ${measured.recordsPerSecond.toFixed(1)} records/sec (${measured.mbPerSecond.toFixed(2)} MB/sec), ${(measured.latencyMs?.avg ?? 0).toFixed(2)} ms avg latency`;
}

/** For programs; latencies of three significant digits. */
export function measuredFields({ elapsedMs, latencyMs, ...measured }: Measured) {
  return {
    records: measured.records,
    bytes: measured.bytes,
    seconds: rounded(elapsedMs / 1_000),
    records_per_second: rounded(measured.recordsPerSecond),
    mb_per_second: rounded(measured.mbPerSecond),
    latency_ms: latencyFields(latencyMs),
  };
}

export function countedFields(what: Counted, { records, elapsedMs, latencyMs }: Measured) {
  return { [what]: records, seconds: rounded(elapsedMs / 1_000), latency_ms: latencyFields(latencyMs) };
}

function latencyFields(latency: Latency | null) {
  if (latency === null) return null;
  return Object.fromEntries(Object.entries(latency).map(([name, value]) => [name, rounded(value)]));
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}

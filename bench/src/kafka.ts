/** The same client program on this daemon and on Apache Kafka, in one run: they take turns within each round. */
import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { aligned } from "./aligned.ts";
import { processCpuMs, processResidentBytes } from "./daemon.ts";
import { type RunningSide, type Side, sidesIn } from "./kafka-sides.ts";
import {
  clientOf,
  consumeAll,
  firstAcknowledged,
  makeTopic,
  produceAll,
  producerOf,
  roundTrips,
  type Shape,
} from "./kafka-work.ts";
import { showProgress } from "./progress.ts";
import { median, percentile } from "./statistics.ts";

const REST_MS = 1_000;

interface KafkaPlan {
  /** How often each broker is started, on a new folder each time. */
  readonly starts: number;
  /** The first one warms up the compilers of all sides, and does not count. */
  readonly rounds: number;
  readonly shapes: readonly Shape[];
  readonly roundTrips: number;
  /** No round begins after this. */
  readonly timeMsMax: number;
}

const SMALL: Shape = { recordBytes: 100, batchRecords: 500, records: 200_000 };
const LARGE: Shape = { recordBytes: 1_024, batchRecords: 100, records: 40_000 };

export const KAFKA: KafkaPlan = {
  starts: 3,
  rounds: 5,
  shapes: [SMALL, LARGE],
  roundTrips: 500,
  timeMsMax: 120_000,
};
export const KAFKA_QUICK: KafkaPlan = {
  starts: 1,
  rounds: 2,
  shapes: [
    { ...SMALL, records: 40_000 },
    { ...LARGE, records: 8_000 },
  ],
  roundTrips: 100,
  timeMsMax: 40_000,
};

/** What one side did with one shape in one round. */
interface Measured {
  readonly produceMs: number;
  readonly consumeMs: number;
  readonly cpuMs: number | null;
}

interface SideResult {
  readonly name: string;
  readonly firstAcknowledgedMs: number;
  readonly residentBytesAtRest: number | null;
  readonly residentBytesAfter: number | null;
  readonly roundTripMs: { readonly p50: number; readonly p99: number };
  readonly shapes: readonly (Shape & {
    readonly producedPerSecond: number;
    readonly consumedPerSecond: number;
    /** Of the broker, for a million records that are written and read once. */
    readonly cpuSecondsPerMillion: number | null;
  })[];
}

export interface KafkaBench {
  readonly rounds: number;
  readonly loadAverage: number;
  readonly missing: string | null;
  readonly sides: readonly SideResult[];
}

/** A side that runs, and what was found so far. */
interface Contestant {
  readonly side: Side;
  readonly running: RunningSide;
  readonly firstMs: number[];
  readonly atRest: number | null;
  readonly measured: Measured[][];
  readonly trips: number[];
}

async function contestantOf(side: Side, starts: number): Promise<Contestant> {
  const firstMs: number[] = [];
  for (let left = starts; ; left -= 1) {
    showProgress(`start of ${side.name}`);
    const running = await side.start();
    const startMs = performance.now();
    await firstAcknowledged(running.port);
    firstMs.push(running.listensMs + performance.now() - startMs);
    if (left > 1) await running.stop();
    else {
      await pause(REST_MS);
      const atRest = processResidentBytes(running.pid);
      return { side, running, firstMs, atRest, measured: [], trips: [] };
    }
  }
}

async function measureRound({ running, measured, trips }: Contestant, plan: KafkaPlan, round: number) {
  const client = clientOf(running.port);
  const producer = await producerOf(client);
  const all: Measured[] = [];
  for (const shape of plan.shapes) {
    const topic = `round-${round}-${shape.recordBytes}`;
    await makeTopic(client, topic);
    const before = processCpuMs(running.pid);
    const produceMs = await produceAll(producer, topic, shape);
    const consumeMs = await consumeAll(client, topic, shape.records);
    const after = processCpuMs(running.pid);
    const cpuMs = before === null || after === null ? null : after - before;
    all.push({ produceMs, consumeMs, cpuMs });
  }
  const took = await roundTrips(producer, `round-${round}-${plan.shapes[0]?.recordBytes}`, plan.roundTrips);
  await producer.disconnect();
  if (round === 0) return;
  measured.push(all);
  trips.push(...took);
}

function resultOf(
  { side, running, firstMs, atRest, measured, trips }: Contestant,
  plan: KafkaPlan,
): SideResult {
  const shapes = plan.shapes.map((shape, place) => {
    const ones = measured.flatMap((round) => round[place] ?? []);
    const perSecond = (tookMs: readonly number[]) => (shape.records * 1_000) / median(tookMs);
    const cpuMs = ones.flatMap((one) => one.cpuMs ?? []);
    return {
      ...shape,
      producedPerSecond: perSecond(ones.map((one) => one.produceMs)),
      consumedPerSecond: perSecond(ones.map((one) => one.consumeMs)),
      cpuSecondsPerMillion: cpuMs.length === 0 ? null : (median(cpuMs) * 1_000) / shape.records,
    };
  });
  return {
    name: side.name,
    firstAcknowledgedMs: median(firstMs),
    residentBytesAtRest: atRest,
    residentBytesAfter: processResidentBytes(running.pid),
    roundTripMs: { p50: percentile(trips, 50), p99: percentile(trips, 99) },
    shapes,
  };
}

export async function measureKafka(plan: KafkaPlan, folder: string): Promise<KafkaBench> {
  const [loadAverage = 0] = loadavg();
  const { all, missing } = await sidesIn(folder);
  const contestants: Contestant[] = [];
  try {
    for (const side of all) contestants.push(await contestantOf(side, plan.starts));
    const endMs = performance.now() + plan.timeMsMax;
    let rounds = 0;
    // One counts at least, besides the one that warms up.
    for (let round = 0; round <= plan.rounds && (round < 2 || performance.now() < endMs); round += 1) {
      for (const contestant of contestants) {
        showProgress(`round ${round} of ${plan.rounds}, ${contestant.side.name}`);
        await measureRound(contestant, plan, round);
      }
      rounds = round;
    }
    const sides = contestants.map((contestant) => resultOf(contestant, plan));
    return { rounds, loadAverage, missing, sides };
  } finally {
    showProgress("");
    await Promise.all(contestants.map(({ running }) => running.stop()));
  }
}

type Row = readonly [what: string, ...values: (number | null)[]];

function rowsOf(sides: readonly SideResult[]): Row[] {
  const [first] = sides;
  const shapes = (first?.shapes ?? []).flatMap(({ recordBytes }, place): Row[] => [
    [
      `${recordBytes} B produced, records/s`,
      ...sides.map(({ shapes: all }) => all[place]?.producedPerSecond ?? null),
    ],
    [
      `${recordBytes} B consumed, records/s`,
      ...sides.map(({ shapes: all }) => all[place]?.consumedPerSecond ?? null),
    ],
    [
      `${recordBytes} B, broker's CPU s per million`,
      ...sides.map(({ shapes: all }) => all[place]?.cpuSecondsPerMillion ?? null),
    ],
  ]);
  const megabytes = (bytes: number | null) => (bytes === null ? null : bytes / 1_000_000);
  return [
    ...shapes,
    ["round trip p50, ms", ...sides.map(({ roundTripMs }) => roundTripMs.p50)],
    ["round trip p99, ms", ...sides.map(({ roundTripMs }) => roundTripMs.p99)],
    ["start to first acknowledged, ms", ...sides.map((side) => side.firstAcknowledgedMs)],
    ["memory at rest, MB", ...sides.map((side) => megabytes(side.residentBytesAtRest))],
    ["memory after all this, MB", ...sides.map((side) => megabytes(side.residentBytesAfter))],
  ];
}

function shown(value: number | null): string {
  if (value === null) return "?";
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

export function kafkaTable({ sides, rounds, loadAverage, missing }: KafkaBench): string {
  const names = sides.map(({ name }) => name);
  const last = sides.length - 1;
  // Each of ours through Apache Kafka's, which is the last.
  const ratios = missing === null ? names.slice(0, last).map((name) => `${name} : Kafka`) : [];
  const rows = rowsOf(sides).map(([what, ...values]) => {
    const kafka = values[last] ?? null;
    const parts = values
      .slice(0, last)
      .map((own) => (own === null || kafka === null ? "?" : (own / kafka).toFixed(2)));
    return [what, ...values.map(shown), ...(missing === null ? parts : [])];
  });
  return [
    `kafkajs, acks all, 4 partitions, a request at a time on each; medians of ${rounds} rounds; load average at the start ${loadAverage.toFixed(1)}`,
    ...(missing === null ? [] : [`without Apache Kafka: ${missing}`]),
    "",
    ...aligned([["", ...names, ...ratios], ...rows]),
  ].join("\n");
}

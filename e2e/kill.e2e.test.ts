import { expect, test } from "vitest";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";
import { type Answer, RawSession } from "./support/raw-session.ts";

const TOPIC = "orders";
const PARTITIONS = 3;
const KILLS = 12;

/** What the broker said it has: partition → offset → value. */
type Acknowledged = Map<number, string>[];

function produceLine(id: number, partition: number, value: string, acks: string): string {
  const value_b64 = Buffer.from(value).toString("base64");
  return `${JSON.stringify({ operation: "produce", id, topic: TOPIC, partition, value_b64, acks })}\n`;
}

/**
 * Produces without waiting for answers until the connection breaks. Every answer that came back is a promise that must hold.
 * The kill comes after a number of answers, not after a time, so that each run gets somewhere.
 */
async function produceUntilKilled(
  daemon: Daemon,
  run: number,
  answersBeforeKill: number,
  acknowledged: Acknowledged,
): Promise<number> {
  const session = await RawSession.open(daemon.port);
  const sent = new Map<number, { partition: number; value: string }>();
  let next = 0;
  const send = () => {
    const id = next++;
    const partition = id % PARTITIONS;
    const value = `${run}/${id}/${"x".repeat((id * 37) % 700)}`;
    sent.set(id, { partition, value });
    session.send(produceLine(id, partition, value, id % 5 === 0 ? "all" : "1"));
  };
  for (let index = 0; index < 60; index += 1) send();
  let answers = 0;
  for (let answer = await session.answer(); answer !== null; answer = await session.answer()) {
    expect(answer).toMatchObject({ ok: true });
    const { partition, value } = sent.get(answer.id as number) as { partition: number; value: string };
    acknowledged[partition]?.set(answer.offset as number, value);
    if (answers++ === answersBeforeKill) daemon.signal("SIGKILL");
    if (!session.socket.destroyed) send();
  }
  await daemon.ended;
  return answers;
}

async function readAll(session: RawSession, partition: number): Promise<string[]> {
  const values: string[] = [];
  for (let offset = 0; ; ) {
    const answer = (await session.ask({
      operation: "fetch",
      topic: TOPIC,
      partition,
      offset,
      max_records: 10_000,
    })) as Answer;
    expect(answer).toMatchObject({ ok: true });
    for (const record of answer.records as { offset: number; value_b64: string }[]) {
      if (record.offset !== values.length)
        throw new Error(`offset ${record.offset} follows ${values.length - 1}`);
      values.push(Buffer.from(record.value_b64, "base64").toString());
    }
    if (answer.next_offset === offset) return values;
    offset = answer.next_offset as number;
  }
}

/** The run and the number of a value, as one number that grows with both. */
function placeInTime(value: string): number {
  const [run, id] = value.split("/").map(Number);
  return (run ?? 0) * 1e9 + (id ?? 0);
}

test("whenever the daemon is killed under load, all that it acknowledged is there afterwards, in order and once", async () => {
  const data = temporaryFolder();
  const acknowledged: Acknowledged = Array.from({ length: PARTITIONS }, () => new Map());
  const arguments_ = ["--clock", "auto", "--log-level", "warn"];
  let daemon = await startDaemon(data, arguments_);
  const first = await RawSession.open(daemon.port);
  // Small segments, so that kills also fall on rolls and on the sealing of what was rolled.
  const created = {
    operation: "create_topic",
    topic: TOPIC,
    partitions: PARTITIONS,
    config: { segment_bytes: 65_536 },
  };
  expect(await first.ask(created)).toMatchObject({ ok: true });
  for (let run = 0; run < KILLS; run += 1) {
    const answers = await produceUntilKilled(daemon, run, 50 + ((run * 379) % 900), acknowledged);
    expect(answers).toBeGreaterThan(50);
    daemon = await startDaemon(data, arguments_);
    const session = await RawSession.open(daemon.port);
    for (const [partition, promises] of acknowledged.entries()) {
      const values = await readAll(session, partition);
      const broken = [...promises].filter(([offset, value]) => values[offset] !== value);
      expect(broken, `run ${run}, partition ${partition}: lost or changed`).toEqual([]);
      expect(new Set(values).size, "no value twice").toBe(values.length);
      const order = values.map(placeInTime);
      expect(
        order.every((at, index) => index === 0 || at > (order[index - 1] ?? 0)),
        "in order",
      ).toBe(true);
    }
  }
  expect((await daemon.end("SIGTERM")).code).toBe(0);
}, 120_000);

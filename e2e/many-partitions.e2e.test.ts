/** A daemon whose system gives it far fewer descriptors than it has partitions. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";
import { RawSession } from "./support/raw-session.ts";

const DESCRIPTORS = 256;
type Ask = (partition: number) => object;

/** Asks one thing of each partition, all at once; the answers come in the order of the questions. */
async function askEach(session: RawSession, count: number, ask: Ask): Promise<unknown[]> {
  const partitions = Array.from({ length: count }, (_, partition) => partition);
  session.send(partitions.map((partition) => `${JSON.stringify(ask(partition))}\n`).join(""));
  const answers: unknown[] = [];
  for (const _ of partitions) answers.push(await session.answer());
  return answers;
}

const base64 = (value: string) => Buffer.from(value).toString("base64");
const produce =
  (value: string, acks: "1" | "all"): Ask =>
  (partition) => ({ operation: "produce", topic: "t", partition, value_b64: base64(value), acks });
const fetch: Ask = (partition) => ({ operation: "fetch", topic: "t", partition, offset: 0 });

async function expectRecords(session: RawSession, count: number, values: readonly string[]): Promise<void> {
  const records = values.map((value) => ({ value_b64: base64(value) }));
  for (const answer of await askEach(session, count, fetch))
    expect(answer).toMatchObject({ ok: true, records });
}

const SETTINGS: readonly (readonly [partitions: number, name: string, flags: readonly string[]])[] = [
  [1_000, "what is sensible", []],
  [300, "more than there is", ["--open-files-max", "100000"]],
];

test.for(SETTINGS)(
  "with 256 descriptors %i partitions are served, also to who comes later, when the logs may take %s",
  { timeout: 60_000 },
  async ([count, , flags], { skip }) => {
    skip(process.platform === "win32", "Windows bounds no process's files");
    const data = temporaryFolder();
    const daemon = await startDaemon(data, flags, {}, { descriptors: DESCRIPTORS });
    const session = await RawSession.open(daemon.port);
    await session.ask({ operation: "create_topic", topic: "t", partitions: count });
    for (const answer of await askEach(session, count, produce("one", "1")))
      expect(answer).toMatchObject({ ok: true, offset: 0 });
    for (const answer of await askEach(session, count, produce("two", "all")))
      expect(answer).toMatchObject({ ok: true, offset: 1 });
    await expectRecords(session, count, ["one", "two"]);
    if (process.platform === "linux")
      expect(readdirSync(`/proc/${daemon.pid}/fd`).length).toBeLessThan(DESCRIPTORS);
    const late = await RawSession.open(daemon.port);
    expect(await late.ask({ operation: "ping" })).toEqual({ ok: true });
    expect((await daemon.end("SIGTERM")).code).toBe(0);

    const again = await startDaemon(data, flags, {}, { descriptors: DESCRIPTORS });
    await expectRecords(await RawSession.open(again.port), count, ["one", "two"]);
    await again.end("SIGKILL");
  },
);

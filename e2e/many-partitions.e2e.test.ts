/** A daemon whose system gives it far fewer descriptors than it has partitions. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";
import { RawSession } from "./support/raw-session.ts";

const PARTITIONS = 1_000;
const DESCRIPTORS = 256;
const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);

/** Asks one thing of each partition, all at once; the answers come in the order of the questions. */
async function askEach(session: RawSession, ask: (partition: number) => object): Promise<unknown[]> {
  session.send(partitions.map((partition) => `${JSON.stringify(ask(partition))}\n`).join(""));
  const answers: unknown[] = [];
  for (const _ of partitions) answers.push(await session.answer());
  return answers;
}

function produceTo(session: RawSession, value: string, acks: "1" | "all"): Promise<unknown[]> {
  const value_b64 = Buffer.from(value).toString("base64");
  return askEach(session, (partition) => ({ operation: "produce", topic: "t", partition, value_b64, acks }));
}

async function expectRecords(session: RawSession, values: readonly string[]): Promise<void> {
  const records = values.map((value) => ({ value_b64: Buffer.from(value).toString("base64") }));
  const answers = await askEach(session, (partition) => ({
    ...{ operation: "fetch", topic: "t", partition, offset: 0 },
  }));
  for (const answer of answers) expect(answer).toMatchObject({ ok: true, records });
}

test.skipIf(process.platform === "win32").each([
  ["what is sensible", []],
  ["more than there is", ["--open-files-max", "100000"]],
])(
  "with 256 descriptors 1,000 partitions are served, also to who comes later, when the logs may take %s",
  async (_name, flags) => {
    const data = temporaryFolder();
    const daemon = await startDaemon(data, flags, {}, { descriptors: DESCRIPTORS });
    const session = await RawSession.open(daemon.port);
    await session.ask({ operation: "create_topic", topic: "t", partitions: PARTITIONS });
    for (const answer of await produceTo(session, "one", "1"))
      expect(answer).toMatchObject({ ok: true, offset: 0 });
    for (const answer of await produceTo(session, "two", "all"))
      expect(answer).toMatchObject({ ok: true, offset: 1 });
    await expectRecords(session, ["one", "two"]);
    if (process.platform === "linux")
      expect(readdirSync(`/proc/${daemon.pid}/fd`).length).toBeLessThan(DESCRIPTORS);
    const late = await RawSession.open(daemon.port);
    expect(await late.ask({ operation: "ping" })).toEqual({ ok: true });
    expect((await daemon.end("SIGTERM")).code).toBe(0);

    const again = await startDaemon(data, flags, {}, { descriptors: DESCRIPTORS });
    await expectRecords(await RawSession.open(again.port), ["one", "two"]);
    await again.end("SIGKILL");
  },
  60_000,
);

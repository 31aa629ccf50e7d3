import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { JOURNAL_VERSION, type Journal, JournalFile, type JournalLine, readJournal } from "./journal.ts";
import { takeLock } from "./transfer-lock.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "minikafka-cli-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const identity = (name: string) => ({ cluster_id: name, topic: "orders", topic_id: `${name}-id` });
const JOURNAL: Journal = {
  head: { minikafka_transfer: JOURNAL_VERSION, source: identity("here"), target: identity("there") },
  lines: [
    {
      kind: "started",
      partition: 1,
      targetStart: 3,
      spans: [{ source: 0, sourceEnd: 9, target: 3, count: 8 }],
    },
  ],
};
const SENT: JournalLine = {
  ...{ kind: "sent", partition: 1, source: 9, sourceEnd: 10, target: 11, count: 1 },
  ...{ producerId: "9007199254740993", producerEpoch: 2, sequence: 5 },
};

test("what was written is read again, and a line that was cut short is as if it had not been begun", async () => {
  const file = join(folder(), "deeper", "orders.jsonl");
  expect(readJournal(file)).toBeNull();
  const journal = await JournalFile.begin(file, JOURNAL);
  await journal.append(SENT);
  await journal.close();
  expect(readJournal(file)).toEqual({ ...JOURNAL, lines: [...JOURNAL.lines, SENT] });
  appendFileSync(file, '{"partition":1,"sending":[10,1');
  expect(readJournal(file)).toEqual({ ...JOURNAL, lines: [...JOURNAL.lines, SENT] });
  // And a new run's lines do not follow that half one.
  await (await JournalFile.begin(file, JOURNAL)).close();
  expect(readFileSync(file, "utf8")).not.toContain("sending");
});

test.each([
  "",
  "no JSON\n",
  '{"minikafka_transfer":99}\n',
  "null\n",
  '{"minikafka_transfer":1}\n{"partition":0}\n',
])("%j is no state of a transfer, and not overwritten as one", (text) => {
  const file = join(folder(), "orders.jsonl");
  writeFileSync(file, text);
  expect(() => readJournal(file)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
});

test("a lock is had by one process, is let go, and is nothing once its process is gone", () => {
  const file = join(folder(), "orders.lock");
  // Of a process that lives for sure.
  writeFileSync(file, `${process.ppid}\n`);
  expect(() => takeLock(file)).toThrow(expect.objectContaining({ code: "TRANSFER_RUNNING" }));
  writeFileSync(file, "999999999\n");
  const unlock = takeLock(file);
  expect(readFileSync(file, "utf8")).toBe(`${process.pid}\n`);
  unlock();
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

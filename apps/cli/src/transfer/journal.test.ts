import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Journal, JournalFile, type JournalHandle, readJournal } from "./journal.ts";
import { JOURNAL_VERSION, type JournalLine } from "./journal-form.ts";
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

/** Appends to the file, half a line at the `failing`th time, as a disk does that is full for a moment. */
function fullAt(failing: number, what: "appendFile" | "datasync") {
  return async (file: string): Promise<JournalHandle> => {
    let calls = 0;
    const attempt = (call: typeof what, otherwise: () => void, text = ""): void => {
      if (call === what) calls += 1;
      if (call !== what || calls !== failing) {
        otherwise();
        return;
      }
      appendFileSync(file, text.slice(0, text.length / 2));
      const system = { code: "ENOSPC", syscall: "write" };
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), system);
    };
    return {
      appendFile: async (text) =>
        attempt("appendFile", () => appendFileSync(file, String(text)), String(text)),
      datasync: async () => attempt("datasync", () => undefined),
      close: async () => undefined,
    };
  };
}

test.each([
  ["appendFile", 1],
  ["appendFile", 3],
  ["datasync", 3],
] as const)(
  "after %s number %i has failed nothing is written, though there is room again, and the state is read",
  async (what, failing) => {
    const file = join(folder(), "orders.jsonl");
    const journal = await JournalFile.begin(file, JOURNAL, fullAt(failing, what));
    // Those of several partitions are on their way at once.
    const appended = await Promise.allSettled(Array.from({ length: 5 }, () => journal.append(SENT)));
    expect(appended.filter(({ status }) => status === "rejected")).not.toEqual([]);
    const left = readFileSync(file, "utf8");
    await expect(journal.append(SENT)).rejects.toMatchObject({
      code: "STORAGE_ERROR",
      message: expect.stringContaining(`kept in ${file}: ENOSPC`),
      hint: expect.stringContaining("make room"),
    });
    await journal.close();
    expect(readFileSync(file, "utf8")).toBe(left);
    const acknowledged = appended.filter(({ status }) => status === "fulfilled").length;
    expect(readJournal(file)?.lines.length).toBeGreaterThanOrEqual(JOURNAL.lines.length + acknowledged);
  },
);

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

const HEAD = JSON.stringify(JOURNAL.head);
const BEGUN = '{"partition":0,"target_start":0,"copied":[]}';
const SENDER = '"producer_id":"7","producer_epoch":0,"sequence":0';

test.each([
  ['{"minikafka_transfer":1}', 1, "source is missing; expected an object"],
  ['{"minikafka_transfer":1,"source":null,"target":null}', 1, "source is null; expected an object"],
  [`${HEAD.replace('"orders"', "5")}`, 1, "source.topic is 5; expected text"],
  [
    `${HEAD}\n${BEGUN}\n{"partition":0,"sending":[1,2,3],${SENDER}}`,
    3,
    "sending is [1,2,3]; expected four numbers",
  ],
  [
    `${HEAD}\n${BEGUN}\n{"partition":0,"sending":[-5,-1,0,-9],${SENDER}}`,
    3,
    "sending is -5; expected a whole number",
  ],
  [
    `${HEAD}\n${BEGUN}\n{"partition":0,"sending":[5,6,0,2],${SENDER}}`,
    3,
    "sending is [5,6,0,2]; expected as many",
  ],
  [
    `${HEAD}\n${BEGUN}\n{"partition":0,"sending":[0,1,0,1],${SENDER.replace("7", "x")}}`,
    3,
    'producer_id is "x"',
  ],
  [`${HEAD}\n{"partition":0,"sending":[0,1,0,1],${SENDER}}`, 2, "partition 0 has a batch, and has not begun"],
  [`${HEAD}\n{"partition":0,"target_start":0,"copied":5}`, 2, "copied is 5; expected a list"],
  [`${HEAD}\nnull`, 2, "the line is null; expected an object"],
])("a state that holds %j is told by its line and what is wrong there", (text, line, why) => {
  const file = join(folder(), "orders.jsonl");
  writeFileSync(file, `${text}\n`);
  expect(() => readJournal(file)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  expect(() => readJournal(file)).toThrow(`${file}:${line} is no state of a transfer: ${why}`);
});

test.each([
  [
    '"7"',
    '"9223372036854775808"',
    'producer_id is "9223372036854775808"; expected a whole number up to 9223372036854775807',
  ],
  ['epoch":0', 'epoch":32768', "producer_epoch is 32768; expected a whole number up to 32767"],
  ['sequence":0', 'sequence":2147483648', "sequence is 2147483648; expected a whole number up to 2147483647"],
])("a sender with %s as %s is none that a batch of Kafka's can have", (good, bad, why) => {
  const file = join(folder(), "orders.jsonl");
  const sender = SENDER.replace(good, bad);
  writeFileSync(file, `${HEAD}\n${BEGUN}\n{"partition":0,"sending":[0,1,0,1],${sender}}\n`);
  expect(() => readJournal(file)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  expect(() => readJournal(file)).toThrow(`${file}:3 is no state of a transfer: ${why}`);
});

test("a folder where the state would be is no state", () => {
  const place = folder();
  expect(() => readJournal(place)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
});

test("a lock is had by one at a time, and is let go", async () => {
  const lock = join(folder(), "deeper", "orders.lock");
  const unlock = await takeLock(lock);
  await expect(takeLock(lock)).rejects.toMatchObject({
    code: "TRANSFER_RUNNING",
    message: expect.stringContaining(`process ${process.pid} on `),
  });
  await unlock();
  await (await takeLock(lock))();
});

test("what a process left that is gone is nothing, though another has its number by now", async () => {
  const lock = join(folder(), "orders.lock");
  await (await takeLock(lock))();
  // Of a process that lives for sure.
  writeFileSync(join(lock, "lock"), JSON.stringify({ pid: process.ppid, started_at: 0, host: hostname() }));
  await (await takeLock(lock))();
});

test("a file in a lock's place, or a folder's, is told", async () => {
  const file = join(folder(), "orders.lock");
  writeFileSync(file, "1\n");
  for (const place of [file, join(file, "orders.lock")])
    await expect(takeLock(place)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(() => readJournal(join(file, "orders.jsonl"))).toThrow("is no state of a transfer");
});

import type { RecordMetadata } from "@minikafka/client";
import { expect, test } from "vitest";
import { testContext } from "../../test/context.ts";
import { CliError } from "../failure.ts";
import { Receipts, type SentRecord, TERMINAL_LINES_MAX } from "./receipts.ts";

function landed(offset: number | null): RecordMetadata {
  return { topic: "orders", partition: 0, offset, timestampMs: 7 };
}

interface TerminalCase {
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly json?: boolean;
}

/** A send that settles when the test says so. */
function sending(line: number) {
  let settle: (metadata: RecordMetadata) => void = () => undefined;
  const record: SentRecord = {
    line,
    sent: new Promise((resolve) => {
      settle = resolve;
    }),
  };
  return { record, settle };
}

const done = (line: number, offset: number | null): SentRecord => ({
  line,
  sent: Promise.resolve(landed(offset)),
});
const refused = (line: number, message: string): SentRecord => ({
  line,
  sent: Promise.reject(new CliError("TIMEOUT", message)),
});

test("receipts come in the order of the input, whatever was acknowledged first", async () => {
  const context = testContext();
  const receipts = new Receipts(context);
  const slow = sending(1);
  receipts.add([slow.record]);
  receipts.add([done(2, 1)]);
  slow.settle(landed(0));
  await receipts.finish();
  expect(context.world.said.stdout).toBe("partition 0, offset 0\npartition 0, offset 1\n");
});

test("a receipt is printed while others are still to come", async () => {
  const context = testContext();
  const receipts = new Receipts(context);
  const slow = sending(2);
  receipts.add([done(1, 0)]);
  receipts.add([slow.record]);
  await receipts.whenFew(1);
  expect(context.world.said.stdout).toBe("partition 0, offset 0\n");
  slow.settle(landed(1));
  await receipts.finish();
});

test("in JSON a receipt says when, too, and an unknown offset is null", async () => {
  const context = testContext({ json: true });
  const receipts = new Receipts(context);
  receipts.add([done(1, null)]);
  await receipts.finish();
  expect(context.world.said.stdout).toBe('{"topic":"orders","partition":0,"offset":null,"timestamp":7}\n');
});

test("the first failure is reported by its line, and what was produced all the same has its receipt", async () => {
  const context = testContext();
  const receipts = new Receipts(context);
  receipts.add([done(1, 0), refused(2, "first"), refused(3, "second"), done(4, 1)]);
  await expect(receipts.finish()).rejects.toMatchObject({
    code: "TIMEOUT",
    message: "line 2: first",
    details: { line: 2, produced: 2, failed: 2 },
  });
  expect(context.world.said.stdout).toBe("partition 0, offset 0\npartition 0, offset 1\n");
});

test("a failure ends the wait for room, so that nothing more is read", async () => {
  const receipts = new Receipts(testContext());
  const never = sending(2);
  receipts.add([refused(1, "refused")]);
  receipts.add([never.record]);
  await receipts.whenFew(0);
  expect(receipts.hasFailed).toBe(true);
});

test.each([
  ["a terminal gets the first lines of a file and the sum of the rest", { stdout: true }, TERMINAL_LINES_MAX],
  ["who types the lines gets each", { stdin: true, stdout: true }, 100],
  ["a pipe gets them all", {}, 100],
  ["-J gets them all", { stdout: true, json: true }, 100],
])("%s", async (_promise, { json = false, ...terminal }: TerminalCase, lines) => {
  const context = testContext({ json, terminal });
  const receipts = new Receipts(context);
  for (let line = 1; line <= 100; line += 1) receipts.add([done(line, line - 1)]);
  await receipts.finish();
  const { stdout, stderr } = context.world.said;
  expect(stdout.split("\n")).toHaveLength(lines + 1);
  const rest = "% and 80 more: partition 0, offsets 20 to 99\n";
  expect(stderr).toBe(lines === 100 ? "" : rest);
});

test("on a terminal how much of a long file is produced is shown behind the first lines, and gone with the sum of the rest", async () => {
  const context = testContext({ terminal: { stdout: true, stderr: true }, env: { NO_COLOR: "1" } });
  const receipts = new Receipts(context);
  for (let line = 1; line <= 22; line += 1) receipts.add([done(line, line - 1)]);
  await receipts.finish();
  const over = "\r\u001b[2K";
  expect(context.world.said.stderr).toBe(
    `% 21 records produced${over}% 22 records produced${over}% and 2 more: partition 0, offsets 20 to 21\n`,
  );
});

test("a reader that goes away ends the printing and not the producing", async () => {
  const context = testContext();
  context.world.stdout.destroy(Object.assign(new Error("nobody reads"), { code: "EPIPE" }));
  const receipts = new Receipts(context);
  receipts.add([done(1, 0)]);
  await receipts.finish();
  expect(receipts.hasFailed).toBe(false);
});

test("a disk that is full under stdout is an error", async () => {
  const context = testContext();
  const full = new Error("ENOSPC");
  const receipts = new Receipts(context);
  const slow = sending(1);
  receipts.add([slow.record]);
  context.world.stdout.destroy(full);
  const finished = receipts.finish();
  slow.settle(landed(0));
  await expect(finished).rejects.toBe(full);
});

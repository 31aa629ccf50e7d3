/** Histories that chance has drawn. A failure names its seed; MINIKAFKA_SEED repeats it, MINIKAFKA_HISTORIES asks for more. */
import { expect, test } from "vitest";
import { TransactionHistory } from "./support/transaction-history.ts";

const { MINIKAFKA_HISTORIES: wanted, MINIKAFKA_SEED: given } = process.env;
const HISTORIES = wanted === undefined || wanted === "" ? 4 : Number(wanted);
const FIRST = given === undefined || given === "" ? 1 : Number(given);

test(
  "whatever is asked at once, promoted and crashed, readers see what was committed, whole, and nothing that was aborted",
  async () => {
    let [ended, records] = [0, 0];
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
      const history = new TransactionHistory(seed);
      try {
        history.book.check(await history.live());
      } catch (problem) {
        throw new Error(`history of seed ${seed}: ${String(problem)}`, { cause: problem });
      }
      ended += history.book.size.ended;
      records += history.book.size.records;
    }
    expect(ended, "transactions that ended").toBeGreaterThan(HISTORIES * 2);
    expect(records, "records that were acknowledged").toBeGreaterThan(HISTORIES * 4);
  },
  60_000 + HISTORIES * 10_000,
);

test("the same histories read uncommitted soon show what was aborted: the checks can fail", async () => {
  for (let seed = 1; seed < 20; seed += 1) {
    const history = new TransactionHistory(seed);
    const seen = await history.live("read_uncommitted");
    try {
      history.book.check(seen);
    } catch (problem) {
      expect(String(problem)).toMatch(/committed false, is shown|a part of/);
      return;
    }
  }
  expect.fail("20 histories without an aborted record");
}, 120_000);

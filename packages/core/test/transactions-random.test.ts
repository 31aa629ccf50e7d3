/** Histories that chance has drawn. A failure names its seed; MINIKAFKA_SEED repeats it, MINIKAFKA_HISTORIES asks for more. */
import { expect, test } from "vitest";
import { seedFromEnvironment } from "./log-world.ts";
import { TransactionHistory } from "./transaction-history.ts";

const { MINIKAFKA_HISTORIES: wanted } = process.env;
const HISTORIES = wanted === undefined || wanted === "" ? 15 : Number(wanted);
const STEPS = 120;

test(
  "whatever chance draws of instances that fence each other, promotions, stops, crashes and lost answers, each transaction is whole or not at all, with its offset and one marker, and no reader is held back in the end",
  async () => {
    const first = seedFromEnvironment(1);
    const reached = new Map<string, number>();
    let there = 0;
    for (let seed = first; seed < first + HISTORIES; seed += 1) {
      const history = new TransactionHistory(seed);
      try {
        await history.open();
        for (let step = 0; step < STEPS; step += 1) await history.step();
        there += await history.converge();
      } catch (problem) {
        const lines = history.done.join("\n  ");
        throw new Error(`history of seed ${seed} after\n  ${lines}\n${String(problem)}`, { cause: problem });
      }
      for (const event of history.world.events.events) {
        const name = event.kind === "transaction_prepared" ? `ended by ${event.cause}` : event.kind;
        reached.set(name, (reached.get(name) ?? 0) + 1);
      }
    }
    expect(there, "transactions that were committed").toBeGreaterThan(HISTORIES * 2);
    for (const name of ["request", "fenced", "timeout"])
      expect(reached.get(`ended by ${name}`) ?? 0, `transactions ended by ${name}`).toBeGreaterThan(
        HISTORIES / 10,
      );
    for (const kind of [
      "leader_changed",
      "offsets_staged",
      "marker_written",
      "broker_stopped",
      "recovered",
      "compacted",
    ])
      expect(reached.get(kind) ?? 0, `histories that reach ${kind}`).toBeGreaterThan(HISTORIES / 10);
  },
  60_000 + HISTORIES * 1_000,
);

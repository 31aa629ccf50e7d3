/** Seeded histories of a classic group. */
import { expect, test } from "vitest";
import { ClassicHistory } from "./classic-history.ts";
import { seedFromEnvironment } from "./log-world.ts";

const { MINIKAFKA_HISTORIES: wanted } = process.env;
const HISTORIES = wanted === undefined || wanted === "" ? 10 : Number(wanted);
const STEPS = 120;

test(
  "whatever chance draws, the members of a generation hear of one leader and one protocol, nobody is given what is of another generation, no crash loses a member or a commit, and all come together in the end",
  async () => {
    const first = seedFromEnvironment(1);
    const reached = new Map<string, number>();
    let [joined, synced, committed] = [0, 0, 0];
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const history = new ClassicHistory(seed);
      try {
        await history.open();
        for (let step = 0; step < STEPS; step++) await history.step();
        await history.converge();
      } catch (problem) {
        const lines = history.done.join("\n  ");
        throw new Error(`history of seed ${seed} after\n  ${lines}\n${String(problem)}`, { cause: problem });
      }
      joined += history.told.joined;
      synced += history.told.synced;
      committed += history.told.committed;
      for (const { kind } of history.world.events.events) reached.set(kind, (reached.get(kind) ?? 0) + 1);
    }
    expect(joined, "members that were told of a generation").toBeGreaterThan(HISTORIES * 10);
    expect(synced, "members that were given their part").toBeGreaterThan(HISTORIES * 5);
    expect(committed, "commits").toBeGreaterThan(HISTORIES * 10);
    for (const kind of [
      "member_id_given",
      "member_expired",
      "member_left",
      "static_member_replaced",
      "leader_changed",
    ])
      expect(reached.get(kind) ?? 0, `histories that reach ${kind}`).toBeGreaterThan(HISTORIES / 10);
  },
  60_000 + HISTORIES * 1_000,
);

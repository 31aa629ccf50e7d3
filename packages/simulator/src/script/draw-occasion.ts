/** Draws in which moment something is done, and what. */
import type { Chance } from "../chance.ts";
import type { Shape } from "../shape/shape.ts";
import { OCCASIONS, type Occasion } from "../world/occasions.ts";

/** What a disk does is met by deaths, most of all. */
export function occasion(chance: Chance, { focus }: Shape) {
  const rooms = ["storage", "replication", "transactions"] as const;
  const room = focus === "everything" ? chance.oneOf(rooms) : focus === "remains" ? "transactions" : focus;
  const occasion: Occasion = chance.oneOf<Occasion>(OCCASIONS[room]);
  const crash = room === "storage" || room === "upkeep" ? 8 : 2;
  return { occasion, what: chance.weighted({ crash, promote: 2, stop_leader: 2 }) };
}

/** Of a marker, half of the time: it has what was written in the transaction, and not how it ended. */
export function absence(chance: Chance, shape: Shape) {
  const isRemains = shape.focus === "remains";
  if (chance.percent(isRemains ? 90 : 50)) {
    const from = chance.oneOf(["transaction_prepared", "marker_written"] as const);
    // What it has left open is there when the next transaction has come, or comes later.
    const isMidst = isRemains && chance.percent(60);
    return {
      from,
      until: isMidst ? "transaction_partition_added" : "transaction_completed",
      nth: 1,
    } as const;
  }
  const nth = chance.percent(50) ? 1 : 1 + chance.below(4);
  return { from: occasion(chance, shape).occasion, until: occasion(chance, shape).occasion, nth };
}

/** At once, or after a while, in which the disk may stand still. */
export function soonAfter(chance: Chance) {
  const afterMs = chance.percent(40) ? 0 : 1 + chance.below(6);
  return { afterMs, holdsDisk: afterMs > 0 && chance.percent(60) };
}

/** What a run is all about, where it is about one thing, and what that makes of its shape. */
import { Chance } from "../chance.ts";
import type { ClientShape, Focus, Shape } from "./shape.ts";

/**
 * What a run would hardly ever come to is drawn by its own luck, so that all other seeds give the runs that they would give without it.
 */
export function drawFocus(seed: number, chance: Chance): Focus {
  const focus = chance.weighted({ everything: 55, storage: 15, replication: 10, transactions: 20 });
  const rare = Chance.of(seed, "focus").weighted({ none: 88, upkeep: 7, remains: 5 });
  return rare === "none" ? focus : rare;
}

/** What happens so often, and so soon one after another, where a run is all about one thing. */
export const FOCUSED: Readonly<Record<Focus, Shape["weights"]>> = {
  everything: {},
  storage: { upon: 40, send: 80, slow_syncs: 10, roll: 15, flush: 15, retention: 10, compact: 10 },
  replication: { upon: 40, send: 80, promote: 10, remove_from_isr: 6 },
  transactions: { upon: 40, transact: 80, late_marker: 20, replicate: 15, expire_transactions: 1 },
  upkeep: {
    ...{ upon: 40, send: 60, transact: 40, roll: 10, flush: 10, compact: 20, retention: 10 },
    ...{ delete_records: 8, restart: 12, stop_broker: 6, start_broker: 8 },
  },
  remains: {
    ...{ transact: 160, late_marker: 15, replicate: 20, refresh_isr: 10, start_broker: 10 },
    ...{ send: 10, consume: 4, copy: 4, upon: 4, expire_transactions: 0 },
  },
};

/** What a transaction has left is met by the next one of its producer only where both come to the same place. */
export function narrowed(shape: Shape): Shape {
  const lasting = shape.topics.filter(({ topic }) => topic === "orders" || topic === "copies");
  const topics = lasting.map((topic) => ({
    ...topic,
    replicationFactor: shape.brokers,
    config: { min_insync_replicas: 1 },
  }));
  const isWriter = ({ kind }: ClientShape) => kind === "writer";
  const writer: ClientShape = {
    kind: "writer",
    name: "w0",
    transactionalId: "w0",
    timeoutMs: 400,
    valueBytes: 4,
  };
  return {
    ...shape,
    topics,
    laterTopics: [],
    clients: shape.clients.some(isWriter) ? shape.clients : [writer, ...shape.clients],
    weights: { ...shape.weights, left_behind: 10 },
    replicateEveryMs: 5,
  };
}

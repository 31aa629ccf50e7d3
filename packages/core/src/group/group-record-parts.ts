/** What the records of both kinds of groups have in common. */
import type { CoordinatorKey, JsonValue } from "../coordinator/coordinator-record.ts";
import { fieldsOf, integerOf, textOf } from "../log/files/parsed-json.ts";
import type { LastRebalance } from "./group-state.ts";

export const GROUP_KIND = "group";
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** A group is of one kind at a time, and has one record. */
export function keyOfGroup(groupId: string): CoordinatorKey {
  return { kind: GROUP_KIND, group_id: groupId };
}

export function formatLastRebalance(last: LastRebalance | null): JsonValue {
  return last === null ? null : { generation: last.generation, reason: last.reason, at_ms: last.atMs };
}

/** Throws for what is none. */
export function parseLastRebalance(value: unknown): LastRebalance | null {
  if (value === null) return null;
  const fields = fieldsOf(value, "last_rebalance");
  return {
    generation: integerOf(fields.get("generation"), "generation", COUNT),
    reason: textOf(fields.get("reason"), "reason"),
    atMs: integerOf(fields.get("at_ms"), "at_ms", COUNT),
  };
}

/** Throws for what is no time. */
export function parseEmptySince(value: unknown): number | null {
  return value === null ? null : integerOf(value, "empty_since_ms", COUNT);
}

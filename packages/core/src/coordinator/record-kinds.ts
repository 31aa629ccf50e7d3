/** What a shard keeps in memory of the records of its partition, kind by kind. */
import { type CoordinatorRecord, MalformedRecord } from "./coordinator-record.ts";

/**
 * Keeps the records of one kind, as `Entry`: what the kind makes of a record. Each record comes twice, in the order of the log
 * both times. In between it stands in the log, and whether it stays there is open.
 */
export interface RecordsOfKind<Entry = unknown> {
  /** What `record` says. Changes nothing. Throws MalformedRecord. */
  read(record: CoordinatorRecord): Entry;
  /** It stands in the log from here on: whoever decides what comes next counts on it, and nobody else is told. */
  append(entry: Entry): void;
  /** It is acknowledged: it survives whatever a record with acks all survives, and may be told. */
  commit(entry: Entry): void;
}

/** By the kind that stands in the records' keys. */
export type RecordKinds = Readonly<Record<string, RecordsOfKind>>;

/** One record that was read, and who keeps it. */
export interface KeptRecord {
  readonly keeper: RecordsOfKind;
  readonly entry: unknown;
}

/** Throws MalformedRecord. */
export function keptRecord(kinds: RecordKinds, record: CoordinatorRecord): KeptRecord {
  const { kind } = record.key;
  const keeper = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (keeper !== undefined) return { keeper, entry: keeper.read(record) };
  const known = Object.keys(kinds).join(", ");
  throw new MalformedRecord(`it is of the kind ${JSON.stringify(kind)}; expected ${known}`);
}

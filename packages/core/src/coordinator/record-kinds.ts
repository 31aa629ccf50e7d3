/** What a shard keeps in memory of the records of its partition, kind by kind. */
import { type CoordinatorRecord, MalformedRecord, readRecord } from "./coordinator-record.ts";

/**
 * Keeps the records of one kind, as `Entry`: what the kind makes of a record. Each comes twice, both times in the order of the
 * log; in between it stands in the log, and whether it stays there is open.
 */
export interface RecordsOfKind<Entry = unknown> {
  /** What `record` says. Changes nothing. Throws MalformedRecord. */
  read(record: CoordinatorRecord): Entry;
  /** The same of a record's text, where there is a shorter way; `null` when it has to be parsed first. */
  readText?(key: string, value: string | null): Entry | null;
  /** It stands in the log from here on: whoever decides what comes next counts on it, and nobody else is told. */
  append(entry: Entry): void;
  /** It is acknowledged: it survives whatever a record with acks all survives, and may be told. */
  commit(entry: Entry): void;
  /** Both at once, as most records of a log come when it is loaded: nothing is open then. */
  restore(entry: Entry): void;
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

/** The same of bytes from a log. Throws MalformedRecord. */
export function keptBytes(kinds: RecordKinds, key: Buffer | null, value: Buffer | null): KeptRecord {
  const keyText = key?.toString() ?? null;
  const valueText = value?.toString() ?? null;
  if (keyText !== null) {
    for (const kind in kinds) {
      const keeper = kinds[kind];
      const entry = keeper?.readText?.(keyText, valueText) ?? null;
      if (keeper !== undefined && entry !== null) return { keeper, entry };
    }
  }
  return keptRecord(kinds, readRecord(keyText, valueText));
}

/** What a shard keeps in memory of the records of its partition, kind by kind. */
import { type CoordinatorRecord, keyText, MalformedRecord, readRecord } from "./coordinator-record.ts";

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
  /** An open transaction has written it: with its commit the entry is appended and committed, unless a later record of its key counts. */
  stage?(entry: Entry): void;
  /** That transaction has ended, and the end is acknowledged. Comes once for each stage(), after the entry's commit(). */
  unstage?(entry: Entry): void;
}

/** By the kind that stands in the records' keys. */
export type RecordKinds = Readonly<Record<string, RecordsOfKind>>;

/** One record that was read, and who keeps it. */
export interface KeptRecord {
  readonly keeper: RecordsOfKind;
  readonly entry: unknown;
  /** The text of the record's key: whose records make each other needless. */
  readonly key: string;
}

/** The same with its place in the log. */
export interface PlacedRecord extends KeptRecord {
  readonly offset: number;
}

/** Throws MalformedRecord. */
export function keptRecord(kinds: RecordKinds, record: CoordinatorRecord, key = keyText(record)): KeptRecord {
  const { kind } = record.key;
  const keeper = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (keeper !== undefined) return { keeper, entry: keeper.read(record), key };
  const known = Object.keys(kinds).join(", ");
  throw new MalformedRecord(`it is of the kind ${JSON.stringify(kind)}; expected ${known}`);
}

/** Bytes from a log. */
export interface RecordBytes {
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** The same of them. Throws MalformedRecord. */
export function placedRecord(kinds: RecordKinds, bytes: RecordBytes): PlacedRecord {
  const { offset } = bytes;
  const key = bytes.key?.toString() ?? null;
  const value = bytes.value?.toString() ?? null;
  if (key !== null) {
    for (const kind in kinds) {
      const keeper = kinds[kind];
      const entry = keeper?.readText?.(key, value) ?? null;
      if (keeper !== undefined && entry !== null) return { keeper, entry, key, offset };
    }
  }
  return { ...keptRecord(kinds, readRecord(key, value), key ?? ""), offset };
}

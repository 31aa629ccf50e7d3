/** The end of every struct in flexible versions (KIP-482): fields with numbers, of which a reader skips those it does not know. */
import { Malformed, within } from "./codec-errors.ts";
import type { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

export interface TaggedCodec {
  readonly tag: number;
  readonly name: string;
  read(reader: Reader): unknown;
  write(writer: Writer, value: unknown): void;
  /** A field that holds its default is not written. */
  isDefault(value: unknown): boolean;
}

/** A tagged field takes at least its number and its size. */
const TAGGED_BYTES_MIN = 2;

/** Reads the tagged fields into `target`. */
export function readTags(
  reader: Reader,
  codecs: ReadonlyMap<number, TaggedCodec>,
  target: Record<string, unknown>,
): void {
  const start = reader.position;
  const count = reader.uvarint();
  if (count * TAGGED_BYTES_MIN > reader.remaining) {
    throw new Malformed(
      start,
      `at most the ${reader.remaining} bytes that are left (${count} tagged fields)`,
    );
  }
  for (let left = count; left > 0; left -= 1) {
    const tag = reader.uvarint();
    const size = reader.uvarint();
    const codec = codecs.get(tag);
    if (codec === undefined) reader.skip(size);
    else target[codec.name] = readTag(reader, codec, size);
  }
}

function readTag(reader: Reader, codec: TaggedCodec, size: number): unknown {
  try {
    return reader.filling(size, (inside) => codec.read(inside));
  } catch (error) {
    throw within(codec.name, error);
  }
}

/** Writes those of the fields that do not hold their defaults; `codecs` in the order of their numbers. */
export function writeTags(
  writer: Writer,
  codecs: readonly TaggedCodec[],
  fields: Readonly<Record<string, unknown>>,
): void {
  const told = codecs.filter((codec) => !codec.isDefault(fields[codec.name]));
  writer.uvarint(told.length);
  for (const codec of told) {
    const inside = new Writer();
    try {
      codec.write(inside, fields[codec.name]);
    } catch (error) {
      throw within(codec.name, error);
    }
    writer.uvarint(codec.tag);
    writer.uvarint(inside.length);
    writer.append(inside);
  }
}

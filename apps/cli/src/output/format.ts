/**
 * `fetch -f`: the escapes of kcat and rpk. A format is compiled once and then fills one record after another with bytes:
 * keys and values go out as they are, whatever their encoding.
 */
import { unescapeBytes } from "../input/escapes.ts";
import { asBuffer, type ShownRecord } from "../record.ts";

export interface FormatOptions {
  /** What a null key or value prints as: nothing, or `NULL` with `-Z`. */
  readonly nullText: string;
}

type Piece = Uint8Array | ((record: ShownRecord) => string | Uint8Array);

type Modifier = "hex" | "base64" | null;

/** For `--help`, in the order in which people meet them. */
export const FORMAT_HELP = `\
  %t topic      %p partition   %o offset           %T timestamp, ms since 1970
  %k key        %K its length  %v (or %s) value    %V (or %S) its length
  %h headers, as name=value,name=value             %n newline   %% a percent sign
  %k{hex} %k{base64} %v{hex} %v{base64}            \\n \\t \\r \\0 \\\\ \\xHH`;

const NO_BYTES = new Uint8Array(0);

function bytesPiece(
  pick: (record: ShownRecord) => Uint8Array | null,
  modifier: Modifier,
  nullText: string,
): Piece {
  return (record) => {
    const bytes = pick(record);
    if (bytes === null) return nullText;
    return modifier === null ? bytes : asBuffer(bytes).toString(modifier);
  };
}

/** As `-H` takes them: a header without a value has no `=`. */
function headersText(record: ShownRecord): string | Uint8Array {
  if (record.headers.length === 0) return NO_BYTES;
  const shown = record.headers.map(({ key, value }) =>
    value === null ? Buffer.from(key) : Buffer.concat([Buffer.from(`${key}=`), value]),
  );
  return Buffer.concat(
    shown.flatMap((header, index) => (index === 0 ? [header] : [Buffer.from(","), header])),
  );
}

/** Kafka's convention: the length of null is -1. */
function lengthOf(bytes: Uint8Array | null): string {
  return String(bytes === null ? -1 : bytes.length);
}

function pieceFor(letter: string, modifier: Modifier, options: FormatOptions): Piece | null {
  switch (letter) {
    case "%":
      return Buffer.from("%");
    case "n":
      return Buffer.from("\n");
    case "t":
      return (record) => record.topic;
    case "p":
      return (record) => String(record.partition);
    case "o":
      return (record) => String(record.offset);
    case "T":
      return (record) => String(record.timestampMs);
    case "k":
      return bytesPiece((record) => record.key, modifier, options.nullText);
    case "v":
    case "s":
      return bytesPiece((record) => record.value, modifier, options.nullText);
    case "K":
      return (record) => lengthOf(record.key);
    case "V":
    case "S":
      return (record) => lengthOf(record.value);
    case "h":
      return headersText;
    default:
      return null;
  }
}

const ESCAPE = /%(?:([kvs])\{([^}]*)\}|(.?))/gsu;

/** Compiles `format`. Throws a RangeError that names the escape which is not one. */
export function compileFormat(format: string, options: FormatOptions): (record: ShownRecord) => Buffer {
  const pieces: Piece[] = [];
  let position = 0;
  for (const match of format.matchAll(ESCAPE)) {
    pieces.push(unescapeBytes(format.slice(position, match.index)));
    position = match.index + match[0].length;
    const modifier = match[2] ?? null;
    if (modifier !== null && modifier !== "hex" && modifier !== "base64") {
      throw new RangeError(`${match[0]} has no meaning; after a key or value {hex} or {base64} may stand`);
    }
    const piece = pieceFor(match[1] ?? match[3] ?? "", modifier, options);
    if (piece === null) {
      throw new RangeError(`${match[0]} has no meaning; write %% for a percent sign`);
    }
    pieces.push(piece);
  }
  pieces.push(unescapeBytes(format.slice(position)));
  return (record) =>
    Buffer.concat(
      pieces.map((piece) => {
        const filled = typeof piece === "function" ? piece(record) : piece;
        return typeof filled === "string" ? Buffer.from(filled) : filled;
      }),
    );
}

/**
 * `JSON.stringify` for answers that carry whole batches.
 *
 * A megabyte of Base64 has nothing to escape, whereas `JSON.stringify` walks all of it to find that out, and a stream that
 * writes it as UTF-8 text once more. So batches stay bytes until the line is made, and the line is made as bytes.
 */
import { base64Characters, encodeBase64, writeBase64 } from "./bytes.ts";

/** Members that hold one entry for each partition, each with batches of its own. */
const ENTRIES = "partitions";

/** From so many bytes on a line is made as bytes: below, text is the cheaper of the two. */
const LONG_BYTES = 4_096;

/** Pieces of one text: bytes stand for their Base64. */
type Pieces = (string | Buffer)[];

/**
 * The same text as `JSON.stringify(fields)` and a newline, given that members named `…_b64` hold Base64, null, or bytes that
 * are to become Base64. As bytes when such bytes are long.
 */
export function jsonLine(fields: object): string | Buffer {
  const pieces: Pieces = [""];
  addObject(fields, pieces);
  addText("\n", pieces);
  const isLong = pieces.some((piece) => piece.length >= LONG_BYTES && typeof piece !== "string");
  return isLong ? bytesOf(pieces) : pieces.map(textOf).join("");
}

function addObject(fields: object, pieces: Pieces): void {
  let separator = "{";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    addText(`${separator}${JSON.stringify(name)}:`, pieces);
    addMember(name, value, pieces);
    separator = ",";
  }
  addText(separator === "{" ? "{}" : "}", pieces);
}

function addMember(name: string, value: unknown, pieces: Pieces): void {
  if (Buffer.isBuffer(value) && name.endsWith("_b64")) {
    addText('"', pieces);
    pieces.push(value, '"');
  } else if (name === ENTRIES && Array.isArray(value)) {
    addText("[", pieces);
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) addText(",", pieces);
      addEntry(value[index], pieces);
    }
    addText("]", pieces);
  } else addText(JSON.stringify(value), pieces);
}

function addEntry(entry: unknown, pieces: Pieces): void {
  if (typeof entry === "object" && entry !== null && !Array.isArray(entry)) addObject(entry, pieces);
  else addText(JSON.stringify(entry), pieces);
}

/** The last piece is text, always. */
function addText(text: string, pieces: Pieces): void {
  pieces[pieces.length - 1] += text;
}

function textOf(piece: string | Buffer): string {
  return typeof piece === "string" ? piece : encodeBase64(piece);
}

function bytesOf(pieces: Pieces): Buffer {
  let bytes = 0;
  for (const piece of pieces)
    bytes += typeof piece === "string" ? Buffer.byteLength(piece) : base64Characters(piece.length);
  const line = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const piece of pieces)
    at = typeof piece === "string" ? at + line.write(piece, at, "utf8") : writeBase64(line, at, piece);
  return line;
}

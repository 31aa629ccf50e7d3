/**
 * `JSON.stringify` for answers that carry whole batches.
 *
 * A megabyte of Base64 has nothing to escape, whereas `JSON.stringify` walks all of it to find that out, and a stream that
 * writes it as UTF-8 text once more. So it is put in beside the rest, and the line is then made as bytes.
 */

/** Members that hold one entry for each partition, each with batches of its own. */
const ENTRIES = "partitions";

/** From here on a line is made as bytes: below, text is the cheaper of the two. */
const LONG_CHARACTERS = 4_096;

/** Pieces of one text. Those at odd places are Base64, and may be long. */
type Pieces = string[];

/**
 * The same text as `JSON.stringify(fields)` and a newline, given that members named `…_b64` hold Base64 or null; as bytes
 * when it is long.
 */
export function jsonLine(fields: object): string | Buffer {
  const pieces: Pieces = [""];
  addObject(fields, pieces);
  addText("\n", pieces);
  return pieces.some(({ length }) => length >= LONG_CHARACTERS) ? bytesOf(pieces) : pieces.join("");
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
  if (typeof value === "string" && name.endsWith("_b64")) {
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

function addText(text: string, pieces: Pieces): void {
  pieces[pieces.length - 1] += text;
}

function bytesOf(pieces: Pieces): Buffer {
  const isBase64 = (index: number) => index % 2 === 1;
  let bytes = 0;
  for (const [index, piece] of pieces.entries())
    bytes += isBase64(index) ? piece.length : Buffer.byteLength(piece);
  const line = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const [index, piece] of pieces.entries())
    at += line.write(piece, at, isBase64(index) ? "latin1" : "utf8");
  return line;
}

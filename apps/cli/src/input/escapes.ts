/** Backslash escapes in option values, where a shell leaves no other way to say a tab, a newline or any byte. */

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|(.?))/gsu;
const MEANINGS: { readonly [letter: string]: number } = {
  n: 0x0a,
  t: 0x09,
  r: 0x0d,
  "0": 0x00,
  "\\": 0x5c,
};

/** The bytes of `text` as UTF-8, with \n \t \r \0 \\ and \xHH (that byte) replaced. Throws a RangeError for another escape. */
export function unescapeBytes(text: string): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const match of text.matchAll(ESCAPE)) {
    pieces.push(Buffer.from(text.slice(position, match.index)));
    position = match.index + match[0].length;
    const byte = match[1] === undefined ? MEANINGS[match[2] ?? ""] : Number.parseInt(match[1], 16);
    if (byte === undefined) throw new RangeError(`${match[0]} has no meaning; write \\\\ for a backslash`);
    pieces.push(Buffer.of(byte));
  }
  pieces.push(Buffer.from(text.slice(position)));
  return Buffer.concat(pieces);
}

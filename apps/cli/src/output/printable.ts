/** Names that people and programs choose, made fit for a line of a terminal. */

/** What moves the cursor, colours, breaks the line or turns its direction. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

const SHORT: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `text` on one line: control characters are shown as `\x1b`, `\n` or `\u202e`, all others as they are. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return (
      SHORT[character] ?? (code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`)
    );
  });
}

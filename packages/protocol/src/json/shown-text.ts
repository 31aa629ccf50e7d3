/** Text that came from outside, made fit for a message: of nobody's names a terminal or a log line is the judge. */

/** Of a name or a value that came from outside. */
const GIVEN_CHARACTERS_MAX = 64;

/** What moves a cursor, colours, forges a line or turns the reading direction; and halves of pairs, which have no UTF-8. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu;

/** The first characters of `text`; what is not printable ASCII is shown by its number. An ellipsis stands for the rest. */
export function shownText(text: string): string {
  const characters = Array.from(text.slice(0, 2 * GIVEN_CHARACTERS_MAX + 2));
  const shown = characters.slice(0, GIVEN_CHARACTERS_MAX).map((character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    return character >= " " && character <= "~" ? character : numbered(character);
  });
  return `${shown.join("")}${characters.length > GIVEN_CHARACTERS_MAX ? "…" : ""}`;
}

/** A whole message, in which the letters of every language stay as they are: for where it repeats names of others. */
export function withoutControls(message: string): string {
  return message.replace(CONTROLS, numbered);
}

function numbered(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Text from outside, made fit for a message, a terminal and a log line. */

/**
 * `text` in double quotes. What is not printable ASCII is shown by its number, so that no name can clear a screen, forge a
 * line or turn the reading direction; what is longer than `lengthMax` is cut.
 */
export function quoted(text: string, lengthMax = 80): string {
  const characters = Array.from(text.slice(0, lengthMax), (character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    const isPrintable = character >= " " && character <= "~";
    return isPrintable ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
  const rest = text.length - lengthMax;
  return `"${characters.join("")}"${rest > 0 ? ` and ${rest} more characters` : ""}`;
}

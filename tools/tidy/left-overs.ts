/** Nothing is left for later in the text: what is to be done belongs where it can be planned. */
import type { Rule } from "./workspace.ts";

// Written apart, so that this file does not find itself.
const MARKS = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"];
const MARK = new RegExp(`\\b(?:${MARKS.join("|")})\\b`);

export const noLeftOvers: Rule = ({ files }) =>
  [...files].flatMap(([path, text]) =>
    text.split("\n").flatMap((line, index) => {
      const mark = MARK.exec(line)?.[0];
      return mark === undefined
        ? []
        : [`${path}:${index + 1}: ${mark}; do it now, or file it and remove the note`];
    }),
  );

/**
 * Options that a program gives as an object, read from the interface that says what each means.
 *
 * @typedef {{ name: string, type: string, meaning: string }} Option
 */

const MEMBER = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\??: ([^;]+);/g;

/** @param {string} comment the inside of a documentation comment */
function proseOf(comment) {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*?\s?/, "").trim())
    .filter((line) => line !== "")
    .join(" ");
}

/**
 * @param {string} source
 * @param {string} name of an interface in it
 * @returns {Option[]} its own members, in their order
 * @throws {Error} where it is not there, or a member has no words
 */
export function optionsOf(source, name) {
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`, "m").exec(source)?.[1];
  if (body === undefined) throw new Error(`there is no interface ${name}`);
  const options = [...body.matchAll(MEMBER)].map(([, comment = "", option = "", type = ""]) => {
    return { name: option, type: type.replace(/ \| undefined$/, ""), meaning: proseOf(comment) };
  });
  const members = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => String(match[1]));
  const silent = members.filter((member) => options.every((option) => option.name !== member));
  if (silent.length > 0) throw new Error(`${name}: ${silent.join(", ")}: no comment says what it means`);
  return options;
}

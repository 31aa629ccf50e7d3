/** The programs in a README, as its reader copies them. */

/**
 * The first fenced block of `language` that contains `mark`; throws where there is none.
 * @param {string} readme
 * @param {string} language
 * @param {string} mark
 * @returns {string}
 */
export function blockOf(readme, language, mark) {
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, name, text]) => name === language && text?.includes(mark));
  if (found === undefined)
    throw new Error(`there is no block of ${language} with "${mark}" in: ${readme.slice(0, 60)}`);
  return String(found[2]);
}

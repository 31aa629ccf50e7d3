/**
 * Bugs that are planted by hand, one at a time, to see whether the simulator finds them. Each is a text of a source file that stands there
 * just once, and what stands there instead; a text that is gone makes the run red, so that the list keeps up with the code.
 *
 * `seed`: the first one that found it. `sentence`: what is wrong with the kernel then. `survives`: why nothing finds it, where that is known.
 */

/**
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} sentence
 * @property {string} file below packages/core/src
 * @property {string} from
 * @property {string} to
 * @property {number} [seed]
 * @property {string} [survives]
 */

/**
 * @param {string} code
 * @param {Mutation} mutation
 */
export function mutated(code, { name, file, from, to }) {
  const parts = code.split(from);
  if (parts.length !== 2)
    throw new Error(
      `${name}: its text stands in ${file} ${parts.length - 1} times; expected once. Say anew where the mutation is to be planted.`,
    );
  return parts.join(to);
}

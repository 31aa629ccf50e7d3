/** What is asked of `npm run pack`. */
import { parseArgs } from "node:util";

/** @typedef {{ nodes: string[], release: boolean }} PackOptions */

export const PACK_HELP = `npm run pack [-- options]

Builds and packs all that is published into packed/, prints what each package weighs, and fails with what is wrong with one.

  --node N,N       install them into an empty project under these versions of Node, and try them there as their READMEs say
  --release        ask as well what stands against publishing this version

  npm run pack
  npm run pack -- --node 20,22,24 --release`;

/**
 * @param {readonly string[]} words
 * @returns {PackOptions | "help" | string} or a sentence that says what cannot be meant
 */
export function packOptions(words) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        node: { type: "string" },
        release: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help === true) return "help";
    const nodes = values.node === undefined ? [] : values.node.split(",");
    const odd = nodes.find((version) => !/^\d+(?:\.\d+){0,2}$/.test(version));
    if (odd !== undefined) return `--node: expected versions such as 22 or 24.1.0, not "${odd}"`;
    return { nodes, release: values.release === true };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

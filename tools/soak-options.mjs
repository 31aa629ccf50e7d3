/** What is asked of `npm run soak`. */
import { parseArgs } from "node:util";

/** @typedef {{ kills: string, minutes: string | undefined, seed: string }} SoakOptions */

export const SOAK_HELP = `npm run soak [-- options]

Clients of every kind on a daemon that is ended again and again; what they were promised is what it is judged by. Prints seed and table.

  --kills N      how often the daemon is killed (MINIKAFKA_KILLS, default 200)
  --minutes N    end after so many minutes, whatever the kills (MINIKAFKA_MINUTES, default: without end)
  --seed N       what all is drawn from (MINIKAFKA_SEED, default: the time)

  npm run soak -- --kills 20
  npm run soak -- --minutes 30 --seed 4711`;

const option = /** @type {const} */ ({ type: "string" });

/**
 * Of the words behind the program's name, before the environment; a sentence where they cannot be meant.
 * @param {readonly string[]} words
 * @param {{ readonly [name: string]: string | undefined }} env
 * @param {number} nowMs
 * @returns {SoakOptions | "help" | string}
 */
export function soakOptions(words, env, nowMs) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        kills: option,
        minutes: option,
        seed: option,
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help === true) return "help";
    const kills = values.kills ?? env.MINIKAFKA_KILLS ?? "200";
    const minutes = values.minutes ?? env.MINIKAFKA_MINUTES;
    const seed = values.seed ?? env.MINIKAFKA_SEED ?? String(Math.floor(nowMs / 1000));
    if (!/^[1-9]\d*$/.test(kills)) return `--kills is ${kills}; expected a whole number from 1`;
    if (minutes !== undefined && !(Number(minutes) > 0))
      return `--minutes is ${minutes}; expected a number above 0`;
    if (!/^\d+$/.test(seed)) return `--seed is ${seed}; expected a whole number from 0`;
    return { kills, minutes, seed };
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

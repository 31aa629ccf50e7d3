/** What `npm run oracle` is asked for. */
import { parseArgs } from "node:util";

export interface Settings {
  readonly json: boolean;
  /** Show what was foreseen as well. */
  readonly all: boolean;
  /** Part of the names of the scenarios to be gone through; null: all. */
  readonly only: string | null;
  /** An unpacked distribution; null: Maven brings the artifacts. */
  readonly kafka: string | null;
}

export const HELP = `npm run oracle [-- OPTIONS]

Starts Apache Kafka from its published artifacts (a JDK 17 or newer and Maven are needed) and this broker, each on a
folder and ports of its own, asks both the same through Kafka's protocol, and tells where their answers part: at the
lowest version of each API that both have, and at the highest. It is not a part of npm test.

  --only TEXT     only the scenarios with TEXT in their name
  --all           also the differences that are expected, each with its reason
  --kafka FOLDER  an unpacked Apache Kafka, instead of Maven's artifacts
  -J, --json      one JSON object, for programs
  -h, --help      this

Exit codes: 0 no difference but the expected ones, 1 others, or an expected one that is no more, 2 usage,
3 Apache Kafka cannot be had here`;

/** The settings, "help", or what is wrong with the arguments. */
export function settingsOf(argv: readonly string[]): Settings | "help" | string {
  try {
    const flag = { type: "boolean", default: false } as const;
    const { values } = parseArgs({
      args: [...argv],
      options: {
        json: { ...flag, short: "J" },
        all: flag,
        only: { type: "string" },
        kafka: { type: "string" },
        help: { ...flag, short: "h" },
      },
    });
    const { json, all, only = null, kafka = null, help } = values;
    return help ? "help" : { json, all, only, kafka };
  } catch (error) {
    return (error as Error).message;
  }
}

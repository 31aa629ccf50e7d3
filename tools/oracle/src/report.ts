/** What came of a run, for people. */
import type { Difference, Expectation, Judgement } from "./compare.ts";

const CELL_MAX = 60;

function cut(text: string): string {
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX - 1)}…` : text;
}

function versionsOf({ api, versions }: Difference): string {
  return `${api} ${versions.map((version) => `v${version}`).join(", ")}`;
}

/** Under each step, the places where the answers part. */
function lines(differences: readonly (Difference & { readonly reason?: string })[]): string[] {
  let step = "";
  return differences.flatMap((each) => {
    const heading = `${each.scenario} / ${each.step} (${versionsOf(each)})`;
    const isNew = heading !== step;
    step = heading;
    const path = each.path === "" ? "the answer" : each.path;
    return [
      ...(isNew ? ["", heading] : []),
      `  ${path}`,
      `      here   ${cut(each.ours)}`,
      `      Kafka  ${cut(each.kafka)}`,
      ...(each.reason === undefined ? [] : [`      because ${each.reason}`]),
    ];
  });
}

function idleLine({ scenario, step = "*", path = "*" }: Expectation): string {
  return `  ${scenario} / ${step}: ${path}`;
}

export interface Ran {
  readonly version: string;
  readonly steps: number;
  readonly seconds: number;
}

export function report(ran: Ran, { unexpected, expected, idle }: Judgement, all: boolean): string {
  return [
    `Apache Kafka ${ran.version}: ${ran.steps} requests to each side in ${ran.seconds.toFixed(0)} s`,
    ...(all && expected.length > 0
      ? ["", `Expected differences: ${expected.length}`, ...lines(expected)]
      : []),
    ...(unexpected.length > 0
      ? ["", `Unexpected differences: ${unexpected.length}`, ...lines(unexpected)]
      : []),
    ...(idle.length > 0
      ? ["", "Expected, and no more to be seen (remove them):", ...idle.map(idleLine)]
      : []),
    "",
    `${unexpected.length} unexpected, ${expected.length} expected${all ? "" : " (--all shows them)"}, ${idle.length} expected and not seen`,
  ].join("\n");
}

/**
 * What examples ask of jq, carried out by node, since jq need not be there: `jq [-r] FILTER` with a filter of paths (`.topics[].topic`,
 * `.groups[0]`) and of `select(.name == "text")`, one behind the other. Whatever else stands there ends with 3, as what jq cannot
 * compile does, so that an example which wants more of jq fails its test.
 */
import { text } from "node:stream/consumers";
import type { World } from "@minikafka/cli";

const EXIT = { ok: 0, usage: 3 };
const PATH = /^(?:\.[a-z_]+|\[\d*\])*$/;
const PART = /\.([a-z_]+)|\[(\d*)\]/g;

export async function jq(words: readonly string[], world: World): Promise<number> {
  const isRaw = words[0] === "-r";
  const stages = (words[isRaw ? 1 : 0] ?? "").split(" | ").map(stageOf);
  const known = stages.filter((stage) => stage !== null);
  if (words.length !== (isRaw ? 2 : 1) || known.length < stages.length) {
    world.stderr.write(`jq: this one takes [-r] and paths, not ${words.join(" ")}\n`);
    return EXIT.usage;
  }
  let values: unknown[] = [JSON.parse(await text(world.stdin))];
  for (const stage of known) values = values.flatMap(stage);
  for (const value of values)
    world.stdout.write(`${isRaw && typeof value === "string" ? value : JSON.stringify(value, null, 2)}\n`);
  return EXIT.ok;
}

type Stage = (value: unknown) => unknown[];

function stageOf(filter: string): Stage | null {
  const [, path, wanted] = /^select\((\S+) == ("[^"]*")\)$/.exec(filter) ?? [];
  if (path !== undefined && wanted !== undefined)
    return (value) => (valuesAt(path, value)[0] === JSON.parse(wanted) ? [value] : []);
  return PATH.test(filter) ? (value) => valuesAt(filter, value) : null;
}

/** Throws where the path asks an element of what has none. */
function valuesAt(path: string, value: unknown): unknown[] {
  let values = [value];
  for (const [, name, index] of path.matchAll(PART)) {
    if (index === "") values = values.flatMap((each) => Object.values(each as object));
    else values = values.map((each) => (each as { readonly [key: string]: unknown })[name ?? index ?? ""]);
  }
  return values;
}

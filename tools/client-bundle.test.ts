/** What an app bundles that uses the SDK: who is in it, and each of them once. */
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const INPUT = fileURLToPath(new URL("../packages/client/dist/index.js", import.meta.url));

/** It has 184,000 now; all of its version has 890,000. */
const ZOD_CHARACTERS_MAX = 250_000;

/** By the path of each module that is left after shaking, how many characters of it are. */
async function bundled(): Promise<ReadonlyMap<string, number>> {
  const build = await rolldown({ input: INPUT, platform: "node", logLevel: "silent" });
  try {
    const { output } = await build.generate({ format: "esm" });
    const modules = output.flatMap((part) => (part.type === "chunk" ? Object.entries(part.modules) : []));
    return new Map(modules.map(([path, { renderedLength }]) => [path, renderedLength]));
  } finally {
    await build.close();
  }
}

/** The folder of the package that the module is of, below the last node_modules or the workspace. */
function packageOf(path: string): string {
  const installed = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
  return installed ?? /^.*\/(?:packages|apps)\/[^/]+/.exec(path)?.[0] ?? path;
}

const nameOf = (folder: string) =>
  /\/node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder)?.[1] ?? folder.split("/").slice(-2).join("/");

test("the SDK's bundle has the protocol, records and codecs, zod once, and nothing of kernel or daemon", async () => {
  const modules = await bundled();
  const folders = [...new Set([...modules.keys()].filter((path) => path.startsWith("/")).map(packageOf))];
  const names = folders.map(nameOf).sort();
  expect(names).toEqual([
    "packages/client",
    "packages/compression",
    "packages/protocol",
    "packages/record",
    "zod",
  ]);
  // Its schemas and their way to JSON Schema; neither its messages in other languages nor a second form of it.
  const zod = [...modules].filter(([path]) => nameOf(packageOf(path)) === "zod");
  const languages = zod
    .filter(([path]) => path.includes("/locales/"))
    .map(([path]) => path.split("/").at(-1));
  expect(languages).toEqual(["en.js"]);
  expect(zod.reduce((characters, [, length]) => characters + length, 0)).toBeLessThan(ZOD_CHARACTERS_MAX);
  // The protocol of Kafka's clients is the daemon's; the table of errors has its numbers.
  const kafka = [...modules.keys()].filter((path) => path.includes("/protocol/dist/kafka/"));
  expect(kafka.map((path) => path.split("/").at(-1))).toEqual(["kafka-errors.js"]);
});

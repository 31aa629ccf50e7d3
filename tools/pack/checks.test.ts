/** What the checks refuse, each on a package that is right but for one thing. */
import { expect, test } from "vitest";
import { problemsOf } from "./checks.mjs";
import { packOptions } from "./options.mjs";
import { ROOT } from "./published.mjs";
import { blockOf } from "./readme-blocks.mjs";
import { releaseProblemsOf } from "./release.mjs";
import { BOUNDS } from "./sizes.mjs";
import { tarballOf } from "./tarball.mjs";

const MANIFEST = {
  name: "@minikafka/record",
  version: "1.2.3",
  description: "of a test",
  keywords: ["test"],
  license: "MIT",
  type: "module",
  engines: { node: ">=20.19" },
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
  files: ["dist"],
  sideEffects: false,
  publishConfig: { access: "public", provenance: true },
  dependencies: { "@minikafka/core": "1.2.3", zod: "4.0.0" },
};

const FILES: Readonly<Record<string, string>> = {
  LICENSE: "Permission is hereby granted",
  "README.md": "# @minikafka/record\n\n```js\n1;\n```\n",
  "dist/index.js": 'export { z } from "zod";\nexport { part } from "./part.js";\n',
  "dist/index.d.ts": 'export { z } from "zod";\nexport { part } from "./part.ts";\n',
  "dist/part.js": 'import "node:fs";\nexport const part = 1;\n',
  "dist/part.d.ts": "export declare const part = 1;\n",
};

/** `null` takes a file or a field away. */
function problemsWith(
  files: Readonly<Record<string, string | null>>,
  manifest: object = {},
  packedBytes = 1_000,
): Promise<string[]> {
  const kept = Object.entries({ ...MANIFEST, ...manifest }).filter(([, value]) => value !== null);
  const all = { "package.json": JSON.stringify(Object.fromEntries(kept)), ...FILES, ...files };
  const packed = Object.entries(all).flatMap(([path, text]) =>
    text === null ? [] : [{ path, data: Buffer.from(text) }],
  );
  return problemsOf(tarballOf(packedBytes, packed));
}

test("what is whole has no problem", async () => {
  expect(await problemsWith({})).toEqual([]);
});

test.each([
  ["dist/part.test.js", "1;"],
  ["src/part.ts", "1;"],
  ["dist/part.js.map", "{}"],
  ["tsconfig.tsbuildinfo", "{}"],
])("a file that nobody needs is named: %s", async (path, text) => {
  expect(await problemsWith({ [path]: text })).toEqual([`${path} does not belong there`]);
});

test.each([
  ["dist/part.js", "dist/index.js imports ./part.js, which is not there"],
  ["dist/part.d.ts", "dist/index.d.ts imports ./part.ts, which is not there"],
  ["dist/index.d.ts", ". (types) leads to ./dist/index.d.ts, which is not there"],
  ["LICENSE", "there is no LICENSE"],
  ["README.md", "there is no README.md of its name"],
])("a file that is missing is missed: %s", async (path, problem) => {
  expect(await problemsWith({ [path]: null })).toContain(problem);
});

test("a package that is imported, for its types alone too, and not installed, is named", async () => {
  expect(await problemsWith({ "dist/part.d.ts": 'import type { Readable } from "streams/web";' })).toEqual([
    "dist/part.d.ts imports streams/web, which is not there",
  ]);
});

test("another version of a package of this workspace, and one that only a workspace has, are refused", async () => {
  const dependencies = { "@minikafka/core": "^1.2.3", zod: "workspace:*" };
  expect(await problemsWith({}, { dependencies })).toEqual(
    expect.arrayContaining([
      "@minikafka/core is wanted as ^1.2.3, not as 1.2.3",
      "zod is wanted as workspace:*, which no registry has",
    ]),
  );
});

test.each(["description", "license", "engines", "sideEffects"])("a manifest says its %s", async (field) => {
  expect(await problemsWith({}, { [field]: null })).toContain(`package.json has no ${field}`);
});

test("a package that would be published for some only, or without provenance, is refused", async () => {
  expect(await problemsWith({}, { publishConfig: { access: "public" } })).toEqual([
    "publishConfig does not say public, with provenance",
  ]);
});

test("a path of the machine that built it is found", async () => {
  expect(await problemsWith({ "dist/part.js": `// ${ROOT}packages\n` })).toEqual([
    `dist/part.js names ${ROOT}`,
  ]);
});

test("a command without the licenses of what is bundled with it is refused", async () => {
  const files = {
    "bin/it.cjs": '#!/usr/bin/env node\nrequire("../bundle/main.cjs");\n',
    "bundle/main.cjs": "1;\n",
  };
  expect(await problemsWith(files, { bin: { it: "./bin/it.cjs" } })).toEqual([
    "there is no bundle/LICENSES.txt",
  ]);
});

test("a package that has grown past its bound is told what takes the room", async () => {
  const bound = BOUNDS["@minikafka/record"]?.unpackedKb ?? 0;
  const [problem] = await problemsWith({ "dist/part.js": `"${"x".repeat(bound * 1_000)}";` });
  expect(problem).toMatch(
    /^is 1\.0 kB packed and \d+\S* kB unpacked, .* what takes the most: dist\/part\.js/,
  );
  expect(await problemsWith({}, {}, 1e9)).toEqual([expect.stringMatching(/^is 1000000 kB packed/)]);
});

test("what publint finds is told: a command that is no program", async () => {
  const files = { "bin/it.cjs": "1;\n", "bundle/LICENSES.txt": "none" };
  expect(await problemsWith(files, { bin: { it: "./bin/it.cjs" } })).toEqual([
    expect.stringContaining("shebang"),
  ]);
});

test("a version is published once its changes are dated, all packages have it, and where they come from is said", () => {
  const one = { name: "one", version: "1.2.3", repository: { url: "git+https://example.org/it.git" } };
  const dated = "# Changelog\n\n## 1.2.3 (2030-01-02)\n\n- it\n\n## 1.2.2 (2030-01-01)\n";
  expect(releaseProblemsOf([one, { ...one, name: "two" }], dated)).toEqual([]);
  expect(releaseProblemsOf([one], dated.replace("2030-01-02", "unreleased"))).toEqual([
    'CHANGELOG.md does not begin with "## 1.2.3 (YYYY-MM-DD)", but with "## 1.2.3 (unreleased)"',
  ]);
  expect(releaseProblemsOf([one, { ...one, version: "1.2.4" }], dated)).toEqual([
    "the packages have several versions: 1.2.3, 1.2.4",
  ]);
  expect(releaseProblemsOf([{ name: "one", version: "1.2.3" }], dated)).toEqual([
    "one: package.json has no repository, without which provenance is refused",
  ]);
});

test("the command says how it is asked, and refuses what cannot be meant", () => {
  expect(packOptions(["--node", "20,22.1", "--release"])).toEqual({
    nodes: ["20", "22.1"],
    release: true,
  });
  expect(packOptions(["-h"])).toBe("help");
  expect(packOptions(["--node", "new"])).toMatch(/^--node: expected versions/);
  expect(packOptions(["--nodes", "20"])).toMatch(/nodes/);
});

test("a program is taken from a README as it stands there, and one that is gone is missed", () => {
  const readme = "# it\n\n```js\none();\n```\n\n```ts\ntwo();\n```\n";
  expect(blockOf(readme, "ts", "two")).toBe("two();\n");
  expect(() => blockOf(readme, "js", "two")).toThrow('no block of js with "two"');
});

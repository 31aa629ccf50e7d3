/**
 * The tarballs in an empty project, used as their READMEs say: one step after the other, each of which throws where it fails.
 *
 * The programs are those of the READMEs, word by word but for the address, since another broker may have the port that they name.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withBroker } from "./own-project.mjs";
import { publishedPackages, ROOT } from "./published.mjs";
import { blockOf } from "./readme-blocks.mjs";

/** @typedef {import("./project.mjs").Project} Project */
/** @typedef {{ readonly what: string, readonly go: (project: Project) => Promise<void> }} Step */

const ADDRESS = "127.0.0.1:9192";

/** The strictest that a user may ask for; libraries are not skipped. */
const STRICT = [
  ...["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--verbatimModuleSyntax"],
  ...["--skipLibCheck", "false", "--module", "nodenext", "--moduleResolution", "nodenext"],
  ...["--target", "es2022", "--lib", "es2022,esnext.disposable", "--types", "node"],
];

/**
 * @param {string} folder of a package, relative to the root
 * @returns {string}
 */
const readmeOf = (folder) => readFileSync(join(ROOT, folder, "README.md"), "utf8");

/**
 * Every door with its types, and the READMEs' programs in TypeScript; one with `await using` besides, which the page promises for each Node that
 * we support, where JavaScript has it since 24.
 * @type {Step["go"]}
 */
async function compiled(project) {
  const doors = publishedPackages().flatMap(({ manifest }) =>
    Object.keys(manifest.exports).map((door) => manifest.name + door.slice(1)),
  );
  project.write("doors.mts", doors.map((door, at) => `export * as door${at} from "${door}";\n`).join(""));
  project.write("first.mts", blockOf(readmeOf("packages/client"), "ts", "connect("));
  const embedded = blockOf(readmeOf("packages/testing"), "js", "broker.records(");
  project.write("embedded.mjs", embedded);
  project.write("embedded-using.mts", disposed(embedded));
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const files = ["doors.mts", "first.mts", "embedded-using.mts"];
  await project.run("node", [compiler, ...STRICT, "--outDir", "out", ...files]);
}

/** @type {Step["go"]} */
async function commands(project) {
  await withBroker(project, async (address) => {
    const at = ["-b", address];
    await project.run("minikafka-cli", [...at, "produce", "orders", "-k", "alice"], "created\n");
    const record = JSON.parse(
      await project.run("minikafka-cli", [...at, "fetch", "orders", "-p", "1", "-e", "-J"]),
    );
    if (record.key !== "alice" || record.value !== "created") throw new Error(JSON.stringify(record));
    // The program makes it anew.
    await project.run("minikafka-cli", [...at, "topics", "delete", "orders"]);
    project.write("out/first.mjs", project.read("out/first.mjs").replace(ADDRESS, address));
    const said = await project.run("node", ["out/first.mjs"]);
    if (said !== "0 alice created\n") throw new Error(said);
  });
}

/**
 * A program that lets go of its broker at the end of its scope.
 * @param {string} program
 * @returns {string}
 */
function disposed(program) {
  const own = program
    .replace("const broker =", "await using broker =")
    .replace("await broker.close();\n", "");
  if (!own.includes("await using") || own.includes("close()")) throw new Error(own);
  return own;
}

/** @type {Step["go"]} */
async function embedding(project) {
  for (const program of ["embedded.mjs", "out/embedded-using.mjs"]) {
    const said = await project.run("node", [program]);
    if (!said.includes("value: 'created'")) throw new Error(said);
  }
}

/** @type {Step["go"]} */
async function vitest(project) {
  project.write("payments.test.js", blockOf(readmeOf("packages/testing"), "js", "@minikafka/testing/vitest"));
  const said = await project.run("vitest", ["run", "payments.test.js"]);
  if (!/Tests\s+1 passed/.test(plain(said))) throw new Error(said);
}

/** @type {Step["go"]} */
async function nodeTest(project) {
  project.write(
    "payments-node.mjs",
    blockOf(readmeOf("packages/testing"), "js", "@minikafka/testing/node-test"),
  );
  const said = await project.run("node", ["--test", "--test-reporter=tap", "payments-node.mjs"]);
  if (!/^# pass 1$/m.test(said)) throw new Error(said);
}

/** @param {string} text without colours */
const plain = (text) => text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g"), "");

/** All of them in one program: what each says of itself holds where the others are loaded too. */
const PARTS = [
  "packages/record",
  "packages/compression",
  "packages/protocol",
  "packages/core",
  "apps/broker",
];
const MARKS = ["encodeBatch", "compression", "readRequest", "BrokerCluster", "startBroker"];

/** @type {Step["go"]} */
async function parts(project) {
  PARTS.forEach((folder, at) => {
    project.write(`parts/${at}.mjs`, blockOf(readmeOf(folder), "js", String(MARKS[at])));
  });
  project.write("parts/all.mjs", PARTS.map((_, at) => `await import("./${at}.mjs");`).join("\n"));
  const said = await project.run("node", ["parts/all.mjs"]);
  for (const line of ["alice=created", "0 created"])
    if (!said.includes(`${line}\n`)) throw new Error(`said no "${line}":\n${said}`);
}

const ONE_KERNEL = `import { startBroker } from "@minikafka/testing";
import { BrokerCluster } from "@minikafka/core";
const broker = await startBroker();
console.log(broker.kernel instanceof BrokerCluster);
await broker.close();
`;

/** @type {Step["go"]} */
async function oneKernel(project) {
  project.write("one-kernel.mjs", ONE_KERNEL);
  const said = await project.run("node", ["one-kernel.mjs"]);
  if (said !== "true\n") throw new Error(`whether the broker's kernel is core's: ${said}`);
}

/** @type {readonly Step[]} In this order: the first leaves what others run. */
export const STEPS = [
  {
    what: "every door and the READMEs' programs compile at the strictest, types of libraries included",
    go: compiled,
  },
  {
    what: "README's lines, typed as they stand, start the broker and make a topic, the SDK's first program uses it, and Ctrl-C ends it in good order",
    go: commands,
  },
  { what: "the README's program with a broker of its own runs", go: embedding },
  { what: "the README's test for vitest passes", go: vitest },
  { what: "the README's test for node:test passes", go: nodeTest },
  { what: "the programs in the READMEs of the parts run", go: parts },
  { what: "the kernel of a broker in a test is that of @minikafka/core, once in the process", go: oneKernel },
];

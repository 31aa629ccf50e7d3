/** `npm run pack [-- options]`: tarballs of all that is published, what each weighs, and what is wrong with it. */
import { relative } from "node:path";
import { problemsOf } from "./checks.mjs";
import { useNode } from "./node-of-npm.mjs";
import { PACK_HELP, packOptions } from "./options.mjs";
import { installPacked } from "./own-project.mjs";
import { PACKED, packAll } from "./pack.mjs";
import { Project } from "./project.mjs";
import { releaseProblems } from "./release.mjs";
import { kb } from "./sizes.mjs";
import { readTarball } from "./tarball.mjs";
import { STEPS } from "./trial.mjs";

/** @returns {Promise<number>} the exit code */
async function main() {
  const options = packOptions(process.argv.slice(2));
  if (typeof options === "string") {
    const help = options === "help";
    (help ? process.stdout : process.stderr).write(
      help ? `${PACK_HELP}\n` : `error: ${options}\n\n${PACK_HELP}\n`,
    );
    return help ? 0 : 2;
  }
  const packed = packAll();
  const tarballs = await Promise.all(packed.map(({ file }) => readTarball(file)));
  const rows = tarballs.map(({ manifest, packedBytes, unpackedBytes, files }) => ({
    package: `${manifest.name} ${manifest.version}`,
    packed: kb(packedBytes),
    unpacked: kb(unpackedBytes),
    files: files.length,
  }));
  printTable(rows);
  console.log(`\nin ${relative(process.cwd(), PACKED) || "."}`);
  const wrong = await Promise.all(
    tarballs.map(async (tarball) =>
      (await problemsOf(tarball)).map((problem) => `${tarball.manifest.name}: ${problem}`),
    ),
  );
  if (told(wrong.flat())) return 1;
  const worked = await tried(options.nodes);
  return told(options.release ? releaseProblems() : []) || !worked ? 1 : 0;
}

/**
 * @param {readonly string[]} problems
 * @returns {boolean} whether there was any
 */
function told(problems) {
  for (const problem of problems) console.error(`error: ${problem}`);
  return problems.length > 0;
}

/** @param {readonly Record<string, string | number>[]} rows */
function printTable(rows) {
  const columns = ["package", "packed", "unpacked", "files"];
  const widths = columns.map((name) =>
    Math.max(...[name, ...rows.map((row) => String(row[name]))].map((cell) => cell.length)),
  );
  const line = (/** @type {string[]} */ cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(Number(widths[at])) : cell.padStart(Number(widths[at]))))
      .join("  ");
  console.log(line(columns.map((name) => name.toUpperCase())));
  for (const row of rows) console.log(line(columns.map((name) => String(row[name]))));
}

/**
 * @param {readonly string[]} nodes versions of Node
 * @returns {Promise<boolean>} whether all went well
 */
async function tried(nodes) {
  for (const version of nodes) {
    const project = new Project();
    try {
      console.log(`\nNode ${await useNode(project, version)}, in an empty project`);
      await installPacked(project);
      for (const { what, go } of STEPS) {
        await go(project);
        console.log(`  ok: ${what}`);
      }
    } catch (error) {
      console.error(`error: under Node ${version}: ${error instanceof Error ? error.message : error}`);
      return false;
    } finally {
      project.remove();
    }
  }
  return true;
}

process.exitCode = await main();

/**
 * What must hold of a tarball before anybody may have it. Each check returns sentences, one for each thing that is wrong.
 *
 * publint judges the manifest's form (paths.mjs: what is there and what leads where); these are the promises of our own.
 */
import { homedir } from "node:os";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { pathProblems } from "./paths.mjs";
import { ROOT } from "./published.mjs";
import { sizeProblems } from "./sizes.mjs";
import { textOf } from "./tarball.mjs";

/** @typedef {import("./tarball.mjs").Tarball} Tarball */

/**
 * @param {Tarball} tarball
 * @returns {Promise<string[]>} nothing, where it may be published
 */
export async function problemsOf(tarball) {
  return [
    ...manifestProblems(tarball),
    ...pathProblems(tarball),
    ...pageProblems(tarball),
    ...machineProblems(tarball),
    ...sizeProblems(tarball),
    ...(await formProblems(tarball)),
  ];
}

/**
 * @param {Tarball} tarball
 * @returns {string[]}
 */
function manifestProblems({ manifest }) {
  const said = [
    "description",
    "keywords",
    "license",
    "engines",
    "exports",
    "files",
    "publishConfig",
    "sideEffects",
  ];
  const missing = said
    .filter((field) => manifest[field] === undefined)
    .map((field) => `package.json has no ${field}`);
  const dependencies = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
  const unpinned = dependencies.flatMap(([name, range]) => {
    if (String(range).includes(":")) return [`${name} is wanted as ${range}, which no registry has`];
    // Two of them at different versions would be two kernels, whose classes differ.
    if (name.startsWith("@minikafka/") && range !== manifest.version)
      return [`${name} is wanted as ${range}, not as ${manifest.version}`];
    return [];
  });
  const { access, provenance } = manifest.publishConfig ?? {};
  const open = access === "public" && provenance === true;
  return [...missing, ...unpinned, ...(open ? [] : ["publishConfig does not say public, with provenance"])];
}

/**
 * @param {Tarball} tarball
 * @returns {string[]}
 */
function pageProblems({ files, manifest }) {
  const page = (/** @type {string} */ name) => textOf(files.find(({ path }) => path === name));
  const readme = page("README.md");
  return [
    ...(page("LICENSE").includes("Permission is hereby granted") ? [] : ["there is no LICENSE"]),
    ...(readme.startsWith(`# ${manifest.name}\n`) ? [] : ["there is no README.md of its name"]),
    ...(readme.includes("\n```") ? [] : ["README.md has no example"]),
    // `bin` of a bundle hands on the code of others, whose licenses ask to be handed on with it.
    ...(manifest.bin === undefined || page("bundle/LICENSES.txt") !== ""
      ? []
      : ["there is no bundle/LICENSES.txt"]),
  ];
}

/**
 * @param {Tarball} tarball
 * @returns {string[]} files that name a folder of the machine that they were built on
 */
function machineProblems({ files }) {
  const places = [ROOT, `${homedir()}/`];
  return files.flatMap((file) => {
    const place = places.find((one) => textOf(file).includes(one));
    return place === undefined ? [] : [`${file.path} names ${place}`];
  });
}

/**
 * @param {Tarball} tarball
 * @returns {Promise<string[]>} what publint says, down to its suggestions
 */
async function formProblems({ files, manifest }) {
  const named = files.map(({ path, data }) => ({ name: `package/${path}`, data }));
  const { messages } = await publint({ pkgDir: "package", pack: { files: named }, level: "suggestion" });
  return messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code);
}

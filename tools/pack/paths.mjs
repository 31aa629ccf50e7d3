/** What is in a tarball, and that all that leads somewhere in it arrives. */
import { isBuiltin } from "node:module";
import { join } from "node:path/posix";
import { textOf } from "./tarball.mjs";

/** @typedef {import("./tarball.mjs").Tarball} Tarball */

/** Nothing else: no sources, no tests, no maps without what they map to. */
const BELONGS = [
  /^(?:package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^bin\/[a-z-]+\.cjs$/,
  /^bundle\/(?:[\w-]+\.cjs|LICENSES\.txt)$/,
  /^dist\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.(?:js|d\.ts)$/,
];

/** Of a bundle only what it loads while it runs is asked from outside; the imports in it are its own chunks. */
const SPECIFIER = /(?:^|[\s;}=])(?:from|import|require)\s*\(?\s*"([^"\n]+)"/g;

/**
 * @param {Tarball} tarball
 * @returns {string[]}
 */
export function pathProblems(tarball) {
  return [...strangerProblems(tarball), ...doorProblems(tarball), ...importProblems(tarball)];
}

/**
 * @param {Tarball} tarball
 * @returns {string[]}
 */
function strangerProblems({ files }) {
  const strangers = files.filter(({ path }) => !BELONGS.some((form) => form.test(path)));
  return strangers.map(({ path }) => `${path} does not belong there`);
}

/**
 * @param {Tarball} tarball
 * @returns {string[]} doors and commands that lead to no file, and doors without types
 */
function doorProblems({ files, manifest }) {
  const has = new Set(files.map(({ path }) => path));
  const doors = Object.entries(manifest.exports ?? {});
  const ways = [
    ...doors.flatMap(([door, targets]) =>
      ["types", "default"].map((way) => [`${door} (${way})`, targets[way]]),
    ),
    ...Object.entries(manifest.bin ?? {}),
  ];
  return ways
    .filter(([, target]) => !has.has(join(String(target))))
    .map(([name, target]) => `${name} leads to ${target}, which is not there`);
}

/**
 * @param {Tarball} tarball
 * @returns {string[]} imports, of types as well, that lead out of what is installed
 */
function importProblems({ files, manifest }) {
  const has = new Set(files.map(({ path }) => path));
  const named = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
  return files.flatMap((file) => {
    if (!/^(?:bin|dist)\/.*\.(?:c?js|d\.ts)$/.test(file.path)) return [];
    const wanted = [...textOf(file).matchAll(SPECIFIER)].map((match) => String(match[1]));
    return wanted
      .filter((specifier) => !arrives(specifier, file.path, has, named))
      .map((one) => `${file.path} imports ${one}, which is not there`);
  });
}

/**
 * @param {string} specifier
 * @param {string} from
 * @param {ReadonlySet<string>} has the tarball's files
 * @param {ReadonlySet<string>} named the packages that are installed with it
 * @returns {boolean}
 */
function arrives(specifier, from, has, named) {
  if (isBuiltin(specifier)) return true;
  if (!specifier.startsWith("."))
    return named.has(
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  const target = join(from, "..", specifier);
  // Types name the source that they were made from; the compiler knows that its types stand beside it.
  return has.has(from.endsWith(".d.ts") ? target.replace(/(?:\.d)?\.ts$|\.js$/, ".d.ts") : target);
}

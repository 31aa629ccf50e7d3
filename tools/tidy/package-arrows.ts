/** Who may know whom: between packages, and which dependencies from outside each may have. */
import { isBuiltin } from "node:module";
import { type Import, importsOf, packageAndDoor } from "./imports.ts";
import { type Manifest, manifestsOf } from "./manifests.ts";
import { isTest, packageOf, type Rule } from "./workspace.ts";

/** A name stands for all doors of a package, "name/door" for that one alone. */
export const MAY_KNOW: Readonly<Record<string, readonly string[]>> = {
  "packages/record": [],
  "packages/compression": ["@minikafka/record", "@toondepauw/node-zstd", "lz4-napi", "snappy"],
  "packages/protocol": ["@minikafka/record", "zod"],
  "packages/core": ["@minikafka/record", "@minikafka/protocol/errors"],
  "packages/client": ["@minikafka/compression", "@minikafka/protocol", "@minikafka/record"],
  "apps/broker": [
    ...["@minikafka/compression", "@minikafka/core", "@minikafka/protocol", "@minikafka/record"],
    ...["@node-rs/crc32", "commander", "pino", "pino-pretty", "zod"],
  ],
  // The CLI reads the log files of a stopped broker; of the kernel it knows nothing else.
  "apps/cli": [
    ...["@minikafka/client", "@minikafka/compression", "@minikafka/protocol", "@minikafka/core/log"],
    // The client of Kafka is loaded by export and import alone.
    ...["@minikafka/record", "@platformatic/kafka", "commander"],
  ],
  // What tests are written with is embedded in theirs: the daemon, the SDK, and the kernel to look at.
  "packages/testing": [
    ...["@minikafka/broker", "@minikafka/client", "@minikafka/compression", "@minikafka/core"],
    "@minikafka/record",
  ],
  e2e: [
    ...["@minikafka/broker", "@minikafka/cli", "@minikafka/client", "@minikafka/core", "@minikafka/protocol"],
    ...["@minikafka/oracle/apache-kafka", "@minikafka/record", "@minikafka/testing"],
  ],
  "packages/simulator": ["@minikafka/core", "@minikafka/record"],
  bench: [
    ...["@minikafka/broker", "@minikafka/cli", "@minikafka/client", "@minikafka/core", "@minikafka/protocol"],
    ...["@minikafka/oracle/apache-kafka", "@minikafka/record", "@minikafka/testing", "kafkajs"],
  ],
  examples: ["@minikafka/client", "@minikafka/testing"],
  "tools/oracle": ["@minikafka/broker", "@minikafka/protocol"],
  "tools/pack": ["@publint/pack", "publint"],
  tools: [
    ...["@minikafka/broker/settings", "@minikafka/cli", "@minikafka/core", "@minikafka/protocol"],
    ...["rolldown", "typescript", "yaml", "zod"],
  ],
};

/** Whole packages that are there to test: they enter by the doors for tests too. */
const TEST_PACKAGES = ["packages/simulator"];

/** What tests may use anywhere. The clients of Kafka judge what is said to them. */
const FOR_TESTS = [
  ...["vitest", "fast-check", "@platformatic/kafka", "kafkajs", "kafkajs-snappy"],
  ...["@nestjs/common", "@nestjs/core", "@nestjs/microservices", "rxjs"],
];

function isForTests(path: string): boolean {
  if (TEST_PACKAGES.includes(packageOf(path) ?? "")) return true;
  const inFolder = /\/(?:test|testing|support)\//.test(path);
  return isTest(path) || inFolder || /\/(?:testing|vitest\.config)\.ts$/.test(path);
}

function allowed(specifier: string, list: readonly string[]): boolean {
  return list.includes(specifier) || list.includes(packageAndDoor(specifier).name);
}

function problemOf(one: Import, manifests: ReadonlyMap<string, Manifest>): string | null {
  const folder = packageOf(one.from);
  if (folder === null) return null;
  const { specifier } = one;
  if (one.target !== null) {
    if (packageOf(one.target) === folder) return null;
    return `${specifier} climbs out of ${folder}; import the other package by its name`;
  }
  if (isBuiltin(specifier)) return null;
  const { name, door } = packageAndDoor(specifier);
  const itself = manifests.get(name);
  if (itself !== undefined && !(door in itself.exports)) {
    return `${specifier} is not a door of ${name}; its doors are ${Object.keys(itself.exports).join(", ")}`;
  }
  if (itself !== undefined && door === "./testing" && !isForTests(one.from)) {
    return `${specifier} is for tests`;
  }
  if (allowed(specifier, MAY_KNOW[folder] ?? [])) return null;
  if (isForTests(one.from) && (FOR_TESTS.includes(name) || itself?.folder === folder)) return null;
  return `${folder} may not know ${specifier} (see MAY_KNOW in tools/tidy/package-arrows.ts and ARCHITECTURE.md)`;
}

/** Imports between packages follow the arrows and use the doors. */
export const importsFollowArrows: Rule = (workspace) => {
  const manifests = new Map(manifestsOf(workspace).map((manifest) => [manifest.name, manifest]));
  return importsOf(workspace).flatMap((one) => {
    const problem = problemOf(one, manifests);
    return problem === null ? [] : [`${one.from}:${one.line}: ${problem}`];
  });
};

/** So do the dependencies that package.json names, and each is used. */
export const dependenciesFollowArrows: Rule = (workspace) => {
  const used = new Set(
    importsOf(workspace).map(({ from, specifier }) => `${packageOf(from)} ${packageAndDoor(specifier).name}`),
  );
  return manifestsOf(workspace).flatMap(({ folder, dependencies }) =>
    Object.keys(dependencies).flatMap((name) => {
      // What it packs has to be built, and it imports none of it.
      if (folder === "tools/pack" && name.startsWith("@minikafka/")) return [];
      const list = (MAY_KNOW[folder] ?? []).map((entry) => packageAndDoor(entry).name);
      if (!list.includes(name)) return [`${folder}/package.json: ${folder} may not depend on ${name}`];
      // The tests that start real processes need those packages built, and import nothing of them.
      if (folder === "e2e" || used.has(`${folder} ${name}`)) return [];
      return [`${folder}/package.json: ${name} is not imported; remove it`];
    }),
  );
};

/** Every package has its line in the table, so that a new one is thought about. */
export const everyPackageHasArrows: Rule = (workspace) =>
  manifestsOf(workspace)
    .filter(({ folder }) => folder !== "" && !(folder in MAY_KNOW))
    .map(({ folder }) => `${folder}: say in MAY_KNOW (tools/tidy/package-arrows.ts) whom it may know`);

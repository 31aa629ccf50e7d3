/** The other ways in which a page installs what is published: from the checkout's folders, and by name, as from a registry. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./published.mjs";
import { blockOf } from "./readme-blocks.mjs";
import { startRegistry } from "./registry.mjs";

/** @typedef {import("./project.mjs").Project} Project */

/** @param {string} path */
const page = (path) => readFileSync(join(ROOT, path), "utf8");

/**
 * docs/kafka-clients.md, "From an empty folder". The broker's line has ports of its own behind it: the later ones hold.
 * @param {Project} project
 */
export async function installedFromFolders(project) {
  const text = page("docs/kafka-clients.md");
  const block = blockOf(text, "sh", "npm install kafkajs ");
  const [init = "", install = "", broker = ""] = block.split("\n");
  await project.type(init);
  await project.install(install);
  const started = await project.start(`${broker} --port 0 --kafka-port 0`);
  try {
    const { host, port } = JSON.parse(started.line);
    const topics = await project.type(`npx minikafka-cli -b ${host}:${port} topics create orders -r 3`);
    if (topics !== "created topic orders, partitions 1, replicas 3\n") throw new Error(topics);
  } finally {
    await started.interrupt();
  }
  // Further down, in a sentence.
  const [, embedding = ""] = /`(npm install [^`]*packages\/testing)`/.exec(text) ?? [];
  await project.install(embedding);
  await project.type(`node --input-type=module -e 'import "kafkajs"; import "@minikafka/testing"'`);
}

/**
 * The README of packages/testing, once its package can be had by name.
 * @param {Project} project
 * @param {readonly string[]} tarballs what the registry has
 */
export async function installedByName(project, tarballs) {
  const readme = page("packages/testing/README.md");
  const registry = await startRegistry(tarballs);
  try {
    await project.type("npm init -y");
    project.write(".npmrc", `@minikafka:registry=${registry.url}\n`);
    await project.install(blockOf(readme, "sh", "npm install "));
  } finally {
    registry.close();
  }
  project.write("payments.mjs", blockOf(readme, "js", "@minikafka/testing/node-test"));
  const said = await project.run("node", ["--test", "--test-reporter=tap", "payments.mjs"]);
  if (!/^# pass 1$/m.test(said)) throw new Error(said);
}

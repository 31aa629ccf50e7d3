/**
 * How a checkout comes into a project of one's own: README's lines for it, each typed as it stands there, its comment and all.
 *
 * What the page does not say comes by the environment: a free port, and what npm is to leave out.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKED } from "./pack.mjs";
import { ROOT } from "./published.mjs";
import { blockOf } from "./readme-blocks.mjs";

/** @typedef {import("./project.mjs").Project} Project */

/** What is in that project already: a client of Kafka's, a runner of tests, what types need. */
const OTHERS = { kafkajs: "2.2.4", vitest: "4.1.12", "@types/node": "20" };

/** @returns {{ pack: string, init: string, install: string, broker: string, commands: string[] }} */
function lines() {
  const block = blockOf(readFileSync(join(ROOT, "README.md"), "utf8"), "sh", "npm run pack");
  const [pack = "", install = "", broker = "", ...commands] = block.trim().split("\n");
  const [, init = ""] = /after `([^`]+)`/.exec(install) ?? [];
  return { pack, init, install, broker, commands };
}

/**
 * Types the first line in the checkout.
 * @param {Project} project
 * @returns {Promise<string[]>} the tarballs that it has written, absolute
 */
export async function packCheckout(project) {
  await project.type(lines().pack, { inFolder: "../minikafka" });
  return readdirSync(PACKED).map((name) => join(PACKED, name));
}

/**
 * Types the second line in `project`, which is empty.
 * @param {Project} project
 */
export async function installPacked(project) {
  const { init, install } = lines();
  await project.type(init);
  const manifest = JSON.parse(project.read("package.json"));
  project.write("package.json", JSON.stringify({ ...manifest, devDependencies: OTHERS }));
  await project.install(install);
  project.putOnPath(join(project.folder, "node_modules", ".bin"));
}

/**
 * Types the other lines: the broker, and what is typed in a second terminal. Ctrl-C ends the broker, in good order, once `meanwhile` is over.
 * @param {Project} project
 * @param {(address: string) => Promise<void>} meanwhile
 */
export async function withBroker(project, meanwhile) {
  const { broker, commands } = lines();
  const started = await project.start(broker, { MINIKAFKA_PORT: "0" });
  let last = "";
  try {
    const { host, port } = JSON.parse(started.line);
    const address = `${host}:${port}`;
    let said = "";
    for (const line of commands) said += await project.type(line, { env: { MINIKAFKA_BROKER: address } });
    if (said !== "created topic orders, partitions 2, replicas 1\n") throw new Error(said);
    await meanwhile(address);
  } finally {
    last = await started.interrupt();
  }
  if (!/"clean":true,"msg":"cluster closed"/.test(last)) throw new Error(last);
  if (!existsSync(join(project.folder, "data"))) throw new Error("the broker's data is not in ./data");
}

/**
 * What is published, packed and used as by somebody who has only the tarballs: in an empty folder, as the READMEs say. Under other versions of Node
 * `npm run pack -- --node 20,22,24` does the same.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemsOf } from "./checks.mjs";
import { packAll } from "./pack.mjs";
import { Offline, Project } from "./project.mjs";
import { publishedPackages } from "./published.mjs";
import { readTarball } from "./tarball.mjs";
import { installAll, STEPS } from "./trial.mjs";

const folder = mkdtempSync(join(tmpdir(), "minikafka-packed-"));
const project = new Project();
let packed: { name: string; file: string }[] = [];
let offline = false;

beforeAll(async () => {
  packed = packAll(folder);
  try {
    await installAll(
      project,
      packed.map(({ file }) => file),
    );
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    offline = true;
    console.warn(
      `The tarballs are not tried: npm reaches no registry for what they need besides.\n${error.message}`,
    );
  }
}, 300_000);

afterAll(() => {
  project.remove();
  rmSync(folder, { recursive: true, force: true });
});

test("what is published is the broker, the command line, the SDK, the embedding, and what these four are made of", () => {
  const names = ["broker", "cli", "client", "compression", "core", "protocol", "record", "testing"];
  expect(packed.map(({ name }) => name)).toEqual(names.map((name) => `@minikafka/${name}`));
});

test.each(publishedPackages().map(({ manifest }) => manifest.name))(
  "the tarball of %s is complete, of its size, and has nothing that nobody needs",
  async (name) => {
    const file = packed.find((one) => one.name === name)?.file ?? "";
    expect(await problemsOf(await readTarball(file))).toEqual([]);
  },
);

describe("in an empty project", () => {
  test.for(STEPS)("$what", async ({ go }, { skip }) => {
    skip(offline, "npm reaches no registry");
    await go(project);
  });
});

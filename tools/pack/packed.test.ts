/**
 * What is published, packed and used as by somebody who has only the tarballs: in an empty folder, as the READMEs say. Under other versions of Node
 * `npm run pack -- --node 20,22,24` does the same.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { problemsOf } from "./checks.mjs";
import { installedByName, installedFromFolders } from "./other-installs.mjs";
import { installPacked, packCheckout } from "./own-project.mjs";
import { Offline, Project } from "./project.mjs";
import { publishedPackages } from "./published.mjs";
import { readTarball, type Tarball } from "./tarball.mjs";
import { STEPS } from "./trial.mjs";

const project = new Project();
let files: string[] = [];
let tarballs: Tarball[] = [];
let offline = false;

beforeAll(async () => {
  files = await packCheckout(project);
  tarballs = await Promise.all(files.map(readTarball));
  try {
    await installPacked(project);
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    offline = true;
    console.warn(
      `The tarballs are not tried: npm reaches no registry for what they need besides.\n${error.message}`,
    );
  }
}, 300_000);

afterAll(() => project.remove());

test("what is published is the broker, the command line, the SDK, the embedding, and what these four are made of", () => {
  const names = ["broker", "cli", "client", "compression", "core", "protocol", "record", "testing"];
  expect(tarballs.map(({ manifest }) => manifest.name)).toEqual(names.map((name) => `@minikafka/${name}`));
});

test.each(publishedPackages().map(({ manifest }) => manifest.name))(
  "the tarball of %s is complete, of its size, and has nothing that nobody needs",
  async (name) => {
    const packed = tarballs.find(({ manifest }) => manifest.name === name);
    expect(packed === undefined ? ["there is none"] : await problemsOf(packed)).toEqual([]);
  },
);

describe("in an empty project", () => {
  test.for(STEPS)("$what", async ({ go }, { skip }) => {
    skip(offline, "npm reaches no registry");
    await go(project);
  });

  test.for([
    {
      what: "docs/kafka-clients.md's lines install the broker and the command line from the checkout's folders",
      go: installedFromFolders,
    },
    {
      what: "the line in @minikafka/testing's README installs it from a registry, and its test for node:test passes",
      go: (other: Project) => installedByName(other, files),
    },
  ])("$what", async ({ go }, { skip }) => {
    skip(offline, "npm reaches no registry");
    const other = new Project();
    onTestFinished(() => other.remove());
    await go(other);
  });
});

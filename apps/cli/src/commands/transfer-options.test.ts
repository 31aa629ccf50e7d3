import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testWorld } from "../../test/world.ts";
import { run } from "../run.ts";

/** Nobody listens there: what is refused is refused before. */
const NOBODY = "kafka://127.0.0.1:1";

async function refused(...own: string[]): Promise<{ code: number; stderr: string }> {
  const world = testWorld();
  const code = await run(["export", ...own, "--from", NOBODY, "--to", NOBODY], world);
  return { code, stderr: world.said.stderr };
}

test.each([
  [["orders", "--as", "../../../escaped"], '--as "../../../escaped" is no name of a topic'],
  [["orders", "--as", "a/b"], '--as "a/b" is no name of a topic'],
  [["orders", "--as", "."], '--as "." is no name of a topic'],
  [["orders", "--as", ""], '--as "" is no name of a topic'],
  [["orders", "--as", "a~b"], '--as "a~b" is no name of a topic'],
  [["../orders"], '"../orders" is no name of a topic'],
  [["orders", ".."], '".." is no name of a topic'],
  [["a".repeat(250)], `"${"a".repeat(250)}" is no name of a topic`],
])("export %j names what no topic is called, is told so, and nothing is made", async (own, why) => {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const state = join(folder, "a", "b", "c", "state");
  const { code, stderr } = await refused(...own, "--state", state);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: INVALID_TOPIC: .*\nhint: a name has 1 to 249/),
  });
  expect(stderr).toContain(why);
  expect([readdirSync(folder), existsSync(state)]).toEqual([[], false]);
});

test("an empty --state is no folder, and not the current one", async () => {
  const { code, stderr } = await refused("orders", "--state", "");
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: USAGE: --state is empty.*\nhint: /),
  });
});

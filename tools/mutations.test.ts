import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mutated } from "./mutants/mutation.mjs";
import { MUTATIONS } from "./mutants/mutations.mjs";

const CORE = fileURLToPath(new URL("../packages/core/src/", import.meta.url));

test.each(MUTATIONS)("the mutation $name has its place in the kernel as it stands", (mutation) => {
  const source = readFileSync(`${CORE}${mutation.file}`, "utf8");
  expect(mutated(source, mutation)).not.toBe(source);
});

test("no two mutations have one name", () => {
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});

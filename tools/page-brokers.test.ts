/** The brokers that README and the pages start: who reads one page behind the other must not get the last one's topics, or its port. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

interface Started {
  readonly page: string;
  readonly folder: string;
  readonly port: string;
}

const started = pages.flatMap((page): Started[] => {
  const lines = readFileSync(join(root, page), "utf8").split("\n");
  return lines
    .filter((line) => /^(?:node_modules\/\.bin\/)?minikafka-broker /.test(line))
    .map((line) => ({
      page,
      folder: /--data \.\/(\S+)/.exec(line)?.[1] ?? "",
      port: /--port (\d+)/.exec(line)?.[1] ?? "9192",
    }));
});

test("each broker that a page starts has a folder and a port of its own, which are not those of npm start", () => {
  expect(started.length).toBeGreaterThan(5);
  for (const name of ["folder", "port"] as const) {
    const all = started.map((broker) => broker[name]);
    expect(new Set([...all, name === "folder" ? "data" : "9192"]).size, `${name}: ${all}`).toBe(
      all.length + 1,
    );
  }
});

test("git ignores every folder that a page has its reader make", () => {
  const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n");
  expect(ignored).toEqual(expect.arrayContaining(started.map(({ folder }) => `/${folder}/`)));
});

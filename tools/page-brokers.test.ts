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

/** What `npm start` has. */
const USUAL = { folder: "data", port: "9192" };

interface Started {
  readonly folder: string;
  readonly port: string;
  /** Where it answers to HTTP, if it does. */
  readonly httpPort: string | undefined;
}

const lines = pages.flatMap((page) => readFileSync(join(root, page), "utf8").split("\n"));
const all = lines
  .filter((line) => /^(?:npx |node_modules\/\.bin\/)?minikafka-broker --/.test(line))
  .map(
    (line): Started => ({
      folder: /--data \.\/(\S+)/.exec(line)?.[1] ?? "",
      port: /--port (\d+)/.exec(line)?.[1] ?? USUAL.port,
      httpPort: /--http-port (\d+)/.exec(line)?.[1],
    }),
  );
/** But for the one of `npm start` with one flag more. */
const started = all.filter(({ folder, port }) => folder !== USUAL.folder || port !== USUAL.port);

test("each broker that a page starts has a folder and ports of its own, which are not those of npm start", () => {
  expect(started.length).toBeGreaterThan(5);
  const folders = [USUAL.folder, ...started.map(({ folder }) => folder)];
  const httpPorts = all.flatMap(({ httpPort }) => httpPort ?? []);
  const ports = [USUAL.port, ...started.map(({ port }) => port), ...httpPorts];
  expect(httpPorts).not.toEqual([]);
  for (const names of [folders, ports]) expect(new Set(names).size, `${names}`).toBe(names.length);
});

test("git ignores every folder that a page has its reader make", () => {
  const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n");
  expect(ignored).toEqual(expect.arrayContaining(started.map(({ folder }) => `/${folder}/`)));
});

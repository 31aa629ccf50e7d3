/** `node ../../tools/bundle.mjs` in an app: joins dist/main.js with all that it imports into bundle/, made anew. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { licensesOf } from "./bundled-licenses.mjs";

const FOLDER = "bundle";

/** Stays a package of its own: it reads a file beside its code, and few commands load it. */
const APART = ["@platformatic/kafka"];

// Chunks are named by what they hold: those of an earlier build would pile up.
rmSync(FOLDER, { recursive: true, force: true });
const build = await rolldown({ input: "dist/main.js", external: APART, platform: "node", logLevel: "warn" });
// Docstrings are for who reads dist or the types; in a program they are a fifth of what is loaded and handed on.
const comments = { legal: true, annotation: true, jsdoc: false };
// What is always loaded is one file: each further one takes the loader a while.
const start = { name: "start", tags: /** @type {["$initial"]} */ (["$initial"]) };
// The loader of modules takes longer to come up than that of CommonJS, and asks more of Node's own parts.
const { output } = await build.write({
  dir: FOLDER,
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  comments,
  codeSplitting: { groups: [start] },
});
await build.close();
const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
writeFileSync(join(FOLDER, "LICENSES.txt"), licensesOf(modules));

/** `node ../../tools/bundle.mjs` in an app: joins dist/main.js with all that it imports into bundle/, made anew. */
import { rmSync } from "node:fs";
import { rolldown } from "rolldown";

const FOLDER = "bundle";

// Chunks are named by what they hold: those of an earlier build would pile up.
rmSync(FOLDER, { recursive: true, force: true });
const build = await rolldown({ input: "dist/main.js", platform: "node", logLevel: "warn" });
await build.write({ dir: FOLDER, format: "esm" });
await build.close();

/** `npm run pack [-- FLAGS]`: installs, builds, and packs what is published (tools/pack), in a checkout that is as fresh as may be. */
import "./node-version.mjs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./pinned-pnpm.mjs";
import { build, install } from "./set-up.mjs";

/** @returns {Promise<number>} the exit code */
async function main() {
  const words = process.argv.slice(2);
  const asked = words.includes("--help") || words.includes("-h");
  // A task of turbo has what it depends on, and nothing else may install or build beside it.
  const isThere = process.env.TURBO_HASH !== undefined;
  if (!asked && !isThere && !((await install()) && build())) return 1;
  return (
    spawnSync(process.execPath, [join(ROOT, "tools", "pack", "main.mjs"), ...words], { stdio: "inherit" })
      .status ?? 1
  );
}

process.exitCode = await main();

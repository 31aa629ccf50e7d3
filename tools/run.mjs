/** `npm run pnpm -- …` and `npm run turbo -- …`: the pinned tools by hand, without installing them globally. */
import "./node-version.mjs";
import { runTool } from "./pinned-pnpm.mjs";

process.exitCode = await runTool(process.argv.slice(2));

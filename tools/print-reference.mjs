/** `npm run reference`: writes docs/reference from the built tables of the packages, and the pages of evidence from docs/evidence. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./pinned-pnpm.mjs";
import { pages } from "./reference/pages.mjs";

for (const [path, text] of Object.entries(pages())) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
  console.log(`wrote ${path}`);
}

/** What this program is called and which version it is, for hello, --version and the log. */
import { readFileSync } from "node:fs";

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

export const PROGRAM = "minikafka";
export const VERSION = manifest.version;

/** Where the broker's program is: beside this one, whether in a repository or installed, or else on the PATH. */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../failure.ts";

const NAME = "minikafka-broker";
/** Below the folder of its package. */
const PROGRAM = join("bin", `${NAME}.cjs`);

/** The file to run with node. Throws NOT_FOUND. */
export function brokerProgram(env: { readonly [name: string]: string | undefined }): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const found = [...besides(here), ...onPath(env.PATH ?? "")].find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new CliError("NOT_FOUND", `${NAME} is neither installed beside minikafka-cli nor on the PATH`, {
    hint: "install @minikafka/broker, or name a broker that runs with --broker",
  });
}

/** In the package named broker that lies beside the one this file is in, however deep. */
function besides(folder: string): string[] {
  const candidates: string[] = [];
  for (let at = folder; dirname(at) !== at; at = dirname(at))
    candidates.push(join(at, "..", "broker", PROGRAM));
  return candidates;
}

function onPath(path: string): string[] {
  // A script: what a package manager puts there on Windows is none.
  return path.split(delimiter).flatMap((folder) => (folder === "" ? [] : [join(folder, NAME)]));
}

/** The simulator as one file, with one mutation of the kernel planted in it. The tree is left as it is. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { mutated } from "./mutation.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CORE = join(ROOT, "packages/core/src");

/** The sources in place of what was built of them: the mutation is a text of a source. */
const SOURCES = {
  "@minikafka/core/testing": join(CORE, "testing.ts"),
  "@minikafka/core/log": join(CORE, "log/index.ts"),
  "@minikafka/core": join(CORE, "index.ts"),
  "@minikafka/record": join(ROOT, "packages/record/src/index.ts"),
  "@minikafka/protocol/errors": join(ROOT, "packages/protocol/src/errors.ts"),
};

/**
 * Writes the program to `file`. Throws when the mutation's text does not stand in its file just once.
 * @param {import("./mutation.mjs").Mutation | null} mutation `null`: the kernel as it is
 * @param {string} file
 */
export async function writeMutant(mutation, file) {
  let planted = mutation === null;
  const build = await rolldown({
    input: join(ROOT, "packages/simulator/src/main.ts"),
    platform: "node",
    logLevel: "warn",
    resolve: { alias: SOURCES },
    plugins: [
      {
        name: "mutation",
        transform(code, id) {
          if (mutation === null || id !== join(CORE, mutation.file)) return null;
          planted = true;
          return planted && { code: mutated(code, mutation) };
        },
      },
    ],
  });
  await build.write({ file, format: "esm" });
  await build.close();
  if (!planted) throw new Error(`${mutation?.name}: the simulator does not take in ${mutation?.file}`);
}

/**
 * The libraries are native, prebuilt for each system as packages of npm's. Each is loaded when its codec is first used, so that
 * starting costs nothing; on a system for which there is none, the codec is unsupported and everything else works.
 */
import { createRequire } from "node:module";
import { CompressionError } from "@minikafka/record";

/**
 * Loads from where this package is installed: the programs are bundles (docs/decisions/0004), from which only their own
 * dependencies can be seen.
 */
function requireFromHere(): NodeJS.Require {
  const here = createRequire(import.meta.url);
  return createRequire(here.resolve("@minikafka/compression"));
}

/** What `name` exports, once it was asked for. Throws CompressionError "unsupported" each time it cannot be loaded. */
export function library<Library>(name: string): () => Library {
  let loaded: Library | null = null;
  return () => {
    if (loaded !== null) return loaded;
    try {
      loaded = requireFromHere()(name) as Library;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CompressionError("unsupported", `${name} cannot be loaded here: ${reason}`);
    }
    return loaded;
  };
}

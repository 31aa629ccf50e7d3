/** The manifest's file, which is replaced whole or not at all. */
import type { LogContext } from "../context/log-context.ts";
import { CheckpointFile } from "../files/checkpoint-file.ts";
import { type Manifest, manifestPath } from "./manifest.ts";
import { formatManifest, parseManifest } from "./manifest-payload.ts";

/** 1: without generations, obsolete segments and leader epochs. 2: without aborted transactions, as there were none. */
export const MANIFEST_VERSION = 3;

export function manifestFile({ env, folder, place }: LogContext): CheckpointFile<Manifest> {
  return new CheckpointFile({
    disk: env.disk,
    faults: env.faults,
    path: manifestPath(folder),
    name: "manifest",
    site: place,
    version: MANIFEST_VERSION,
    parse: parseManifest,
    format: formatManifest,
  });
}

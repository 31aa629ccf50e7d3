/** The manifest of a folder that nobody opened: what it says, or what is wrong with it. */
import { type Disk, DiskError, readSmallFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { openEnvelope } from "../files/checkpoint-envelope.ts";
import { type Manifest, manifestPath } from "../manifest/manifest.ts";
import { parseManifest } from "../manifest/manifest-payload.ts";

export interface ReadManifest {
  /** `null` when it is missing or damaged. */
  readonly manifest: Manifest | null;
  readonly finding:
    | { readonly kind: "manifest"; readonly file: string; readonly manifest: Manifest }
    | { readonly kind: "damage"; readonly file: string; readonly position: null; readonly problem: string };
}

export function readManifest(disk: Disk, folder: string): ReadManifest {
  const file = manifestPath(folder);
  const manifest = manifestOr(disk, file);
  if (typeof manifest !== "string") return { manifest, finding: { kind: "manifest", file, manifest } };
  return { manifest: null, finding: { kind: "damage", file, position: null, problem: manifest } };
}

/** Or why there is none. */
function manifestOr(disk: Disk, file: string): Manifest | string {
  try {
    const bytes = readSmallFile(disk, file, LIMITS.checkpointBytesMax);
    if (bytes === null) return "it is missing";
    const envelope = openEnvelope(bytes);
    if ("problem" in envelope) return `${envelope.problem}; expected ${envelope.expected}`;
    return parseManifest(envelope.payload, envelope.version);
  } catch (problem) {
    if (problem instanceof DiskError || problem instanceof TypeError || problem instanceof RangeError)
      return problem.message;
    throw problem;
  }
}

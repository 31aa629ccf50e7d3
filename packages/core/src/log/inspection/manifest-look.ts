/** The manifest of a folder that nobody opened: what it says, or what is wrong with it. */
import type { Disk } from "../../env/disk.ts";
import { type Manifest, manifestPath } from "../manifest/manifest.ts";
import { parseManifest } from "../manifest/manifest-payload.ts";
import { lookAtCheckpoint } from "./checkpoint-look.ts";

export interface ReadManifest {
  /** `null` when it is missing or damaged. */
  readonly manifest: Manifest | null;
  readonly finding:
    | { readonly kind: "manifest"; readonly file: string; readonly manifest: Manifest }
    | { readonly kind: "damage"; readonly file: string; readonly position: null; readonly problem: string };
}

export function readManifest(disk: Disk, folder: string): ReadManifest {
  const file = manifestPath(folder);
  const manifest = lookAtCheckpoint(disk, file, parseManifest);
  if (typeof manifest !== "string") return { manifest, finding: { kind: "manifest", file, manifest } };
  return { manifest: null, finding: { kind: "damage", file, position: null, problem: manifest } };
}

/** This program's version, read from its manifest, which lies one folder up from the sources and from the build alike. */
import { readFileSync } from "node:fs";

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const isManifest = manifest !== null && typeof manifest === "object" && "version" in manifest;
  return isManifest ? String(manifest.version) : "unknown";
}

/** For programs, with what it runs on. */
export function versionDocument(): {
  readonly name: string;
  readonly version: string;
  readonly node: string;
} {
  return { name: "minikafka-cli", version: version(), node: process.versions.node };
}

/** What stands against publishing this version: what no tarball shows. CONTRIBUTING.md says how a release is made. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages, ROOT } from "./published.mjs";

/** @typedef {import("./published.mjs").Manifest} Manifest */

/** @returns {string[]} */
export function releaseProblems() {
  const manifests = publishedPackages().map(({ manifest }) => manifest);
  return releaseProblemsOf(manifests, readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"));
}

/**
 * @param {readonly Manifest[]} manifests of all that is published
 * @param {string} changelog
 * @returns {string[]}
 */
export function releaseProblemsOf(manifests, changelog) {
  const versions = [...new Set(manifests.map(({ version }) => version))];
  const homeless = manifests.filter(({ repository }) => typeof repository?.url !== "string");
  const newest = /^## (\S+) \((.*)\)$/m.exec(changelog);
  return [
    ...(versions.length === 1 ? [] : [`the packages have several versions: ${versions.join(", ")}`]),
    ...(newest?.[1] === versions[0] && /^\d{4}-\d\d-\d\d$/.test(newest?.[2] ?? "")
      ? []
      : [
          `CHANGELOG.md does not begin with "## ${versions[0]} (YYYY-MM-DD)", but with "${newest?.[0] ?? "nothing of that form"}"`,
        ]),
    // The registry compares it with where the provenance says that the package was built, and refuses what differs.
    ...homeless.map(
      ({ name }) => `${name}: package.json has no repository, without which provenance is refused`,
    ),
  ];
}

/**
 * Style as a test. Each rule lives in tools/tidy, one idea a file, with a test beside it that shows that it can fail; its
 * messages say what to do instead. Rules change with a reason in the commit, never by the way.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { bansNeedTheirExceptions, noBannedCalls } from "./tidy/banned-calls.ts";
import { noDeadFiles } from "./tidy/dead-files.ts";
import { evidenceCitesTests, evidenceIsWellFormed } from "./tidy/evidence.ts";
import { testsDoNotSleep, testsLeaveNothingOut } from "./tidy/honest-tests.ts";
import { noImportCycles } from "./tidy/import-cycles.ts";
import { kernelLooksDown, logLooksDown } from "./tidy/kernel-layers.ts";
import { noLeftOvers } from "./tidy/left-overs.ts";
import { EXCEPTIONS, nothingTooLong } from "./tidy/lengths.ts";
import { linksLeadSomewhere, pagesHaveOneTitle } from "./tidy/markdown.ts";
import {
  dependenciesFollowArrows,
  everyPackageHasArrows,
  importsFollowArrows,
} from "./tidy/package-arrows.ts";
import { tablesAreKept } from "./tidy/tables.ts";
import { type Rule, readWorkspace } from "./tidy/workspace.ts";

const workspace = readWorkspace(fileURLToPath(new URL("..", import.meta.url)));

const RULES: readonly [promise: string, rule: Rule][] = [
  ["imports between packages follow the arrows and use the doors", importsFollowArrows],
  ["dependencies in package.json follow the arrows and are used", dependenciesFollowArrows],
  ["every package says whom it may know", everyPackageHasArrows],
  ["the kernel's layers only look down", kernelLooksDown],
  ["the log's layers only look down", logLooksDown],
  ["no file needs itself, by whatever detour", noImportCycles],
  ["nothing uses what is banned in its folder", noBannedCalls],
  ["every exception from a ban is needed", bansNeedTheirExceptions],
  ["files and functions fit into one look", (files) => nothingTooLong(files, EXCEPTIONS)],
  ["every file is reached from a door, a command, a script or a test", noDeadFiles],
  ["nothing is left for later in the text", noLeftOvers],
  ["tests leave nothing out", testsLeaveNothingOut],
  ["tests do not sleep", testsDoNotSleep],
  ["pages have one title", pagesHaveOneTitle],
  ["links lead somewhere", linksLeadSomewhere],
  ["errors and operations are documented and have their files, both ways", tablesAreKept],
  ["the evidence has its form, and what it refers to is there", evidenceIsWellFormed],
  ["the evidence cites tests that exist", evidenceCitesTests],
];

// Each reads the whole workspace, which takes its time on a busy machine.
test.for(RULES)("%s", { timeout: 60_000 }, ([, rule]) => {
  expect(rule(workspace)).toEqual([]);
});

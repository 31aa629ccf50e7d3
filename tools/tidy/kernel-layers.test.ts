import { expect, test } from "vitest";
import { kernelLooksDown, logLooksDown } from "./kernel-layers.ts";
import { workspaceOf } from "./workspace.ts";

const LAYERS = "env < log < replica < coordinator < offsets < group < transaction < cluster";
const LOG_LAYERS =
  "context < files < frames < indexes < segment < producers < manifest < lookup < parts < cutting < compaction < foresight < inspection";

function kernel(path: string, imported: string) {
  return workspaceOf({ [`packages/core/src/${path}`]: `import { x } from "${imported}";` });
}

test.for([
  ["log/segment.ts", "../replica/replica-set.ts"],
  ["env/disk.ts", "../log/segment.ts"],
  ["group/group-coordinator.ts", "../cluster/cluster.ts"],
  ["errors.ts", "./env/env.ts"],
  ["cluster/cluster.ts", "../index.ts"],
] as const)("%s may not import %s", ([path, imported]) => {
  expect(kernelLooksDown(kernel(path, imported))).toEqual([
    `packages/core/src/${path}:1: ${imported} looks up; the layers are ${LAYERS}. Move it down, or hand it in`,
  ]);
});

test.for([
  ["cluster/cluster.ts", "../log/index.ts"],
  ["log/segment.ts", "./offset-index.ts"],
  ["env/disk.ts", "../errors.ts"],
  ["index.ts", "./cluster/cluster.ts"],
] as const)("%s may import %s", ([path, imported]) => {
  expect(kernelLooksDown(kernel(path, imported))).toEqual([]);
});

test("a new folder of the kernel is given a place", () => {
  expect(kernelLooksDown(kernel("quota/quota.ts", "../env/env.ts"))).toEqual([
    `packages/core/src/quota/quota.ts:1: ../env/env.ts: a folder of the kernel has no place among its layers (${LAYERS})`,
  ]);
});

test.for([
  ["segment/segment.ts", "../manifest/manifest.ts"],
  ["frames/frame-scan.ts", "../segment/segment.ts"],
  ["parts/recovery.ts", "../partition-log.ts"],
] as const)("in the log, %s may not import %s", ([path, imported]) => {
  expect(logLooksDown(kernel(`log/${path}`, imported))).toEqual([
    `packages/core/src/log/${path}:1: ${imported} looks up; the layers are ${LOG_LAYERS}. Move it down, or hand it in`,
  ]);
});

test.for([
  ["segment/segment.ts", "../frames/frame-scan.ts"],
  ["segment/segment.ts", "./segment-extent.ts"],
  ["compaction/compactor.ts", "../../env/env.ts"],
  ["partition-log.ts", "./compaction/compactor.ts"],
] as const)("in the log, %s may import %s", ([path, imported]) => {
  expect(logLooksDown(kernel(`log/${path}`, imported))).toEqual([]);
});

test("a new folder of the log is given a place", () => {
  expect(logLooksDown(kernel("log/tiers/tier.ts", "../files/file-names.ts"))).toEqual([
    `packages/core/src/log/tiers/tier.ts:1: ../files/file-names.ts: a folder of the log has no place among its layers (${LOG_LAYERS})`,
  ]);
});

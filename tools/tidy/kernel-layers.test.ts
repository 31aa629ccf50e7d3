import { expect, test } from "vitest";
import { kernelLooksDown } from "./kernel-layers.ts";
import { workspaceOf } from "./workspace.ts";

const LAYERS = "env < log < replica < offsets < group < transaction < cluster";

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

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Real processes on a machine that may be busy: a bound against hanging, not a measure of anything.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // These tests come last, when nothing else runs any more, and wait a lot. What each starts is its own.
    maxWorkers: 2,
    // One process for many files, as for the packages' tests.
    isolate: false,
  },
});

import { defineConfig } from "vitest/config";

/** Real processes on a machine that may be busy: a bound against hanging, not a measure of anything. */
export default defineConfig({ test: { testTimeout: 180_000, hookTimeout: 180_000, fileParallelism: false } });

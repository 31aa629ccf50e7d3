/** Of every package that has no configuration of its own. `npx vitest` by hand reads it as `npm test` does. */
import { defineConfig } from "vitest/config";

/** On a machine that may be busy: a bound against hanging, not a measure of anything. */
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 60_000 } });

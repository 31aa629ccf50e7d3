/** Of every package that has no configuration of its own. `npx vitest` by hand reads it as `npm test` does. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // On a machine that may be busy: a bound against hanging, not a measure of anything.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One process for all files of a package: starting one for each, and loading in it what the one before it had loaded, was
    // most of what the tests took. What a test changes of its process, it undoes.
    isolate: false,
  },
});

/** The command line as a function, for tests and for programs that embed it, and as a tree, for its reference. */
export type { World } from "./context.ts";
export { codesEndingWith, EXIT, EXIT_MEANINGS, type ExitCode, exitCodeFor } from "./exit-codes.ts";
export { everyExample } from "./output/examples.ts";
export { createProgram } from "./program.ts";
export { run } from "./run.ts";

/** The command line as a function, for tests and for programs that embed it. */
export type { World } from "./context.ts";
export { EXIT, type ExitCode, exitCodeFor } from "./exit-codes.ts";
export { run } from "./run.ts";

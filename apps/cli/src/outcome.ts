/** From a failure to the exit code: by its code, but that damage has one of its own, whoever met it. */
import { EXIT, type ExitCode, exitCodeFor } from "./exit-codes.ts";
import type { Failure } from "./failure.ts";

/** Whether bytes on the disk are not what was written. A disk that refused says nothing of what it should have held. */
export function isDamage({ code, details }: Failure): boolean {
  return code === "DAMAGE_FOUND" || (code === "STORAGE_ERROR" && typeof details.expected === "string");
}

export function exitCodeOf(failure: Failure): ExitCode {
  return isDamage(failure) ? EXIT.damaged : exitCodeFor(failure.code);
}

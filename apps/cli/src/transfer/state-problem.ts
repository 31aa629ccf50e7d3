/** That the state of a transfer cannot be kept or read, by what the operating system says, and what to do about it. */
import { DiskError } from "@minikafka/core/log";
import { CliError } from "../failure.ts";

const HINTS: { readonly [code: string]: string } = {
  ENOSPC: "make room on that disk, then run the same command again: it goes on from here",
  EDQUOT: "make room in that quota, then run the same command again: it goes on from here",
  EACCES: "--state names a folder that may be read and written to",
  EPERM: "--state names a folder that may be read and written to",
  EROFS: "--state names a folder that may be written to",
};
const ELSEWHERE =
  "--state names another folder; what has been copied by the state in this one goes on by that alone";

/** STORAGE_ERROR in place of what the disk has refused; anything else as it is. */
export function stateProblem(place: string, error: unknown): unknown {
  const isRefusal = error instanceof DiskError || (error instanceof Error && "syscall" in error);
  if (!isRefusal) return error;
  const code = "code" in error ? String(error.code) : "";
  return new CliError(
    "STORAGE_ERROR",
    `the state of this transfer cannot be kept in ${place}: ${error.message}`,
    {
      hint: HINTS[code] ?? ELSEWHERE,
      details: { errno: code },
    },
  );
}

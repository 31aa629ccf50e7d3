/** A checkpoint file that nobody opened: its value, or what is wrong with it. */
import { AssertionFailure } from "../../assert.ts";
import { type Disk, readSmallFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { openEnvelope } from "../files/checkpoint-envelope.ts";

/** `parse` throws for a payload that is none. What the disk refuses is a problem as well. */
export function lookAtCheckpoint<Value extends object>(
  disk: Disk,
  file: string,
  parse: (payload: unknown, version: number) => Value,
): Value | string {
  try {
    const bytes = readSmallFile(disk, file, LIMITS.checkpointBytesMax);
    if (bytes === null) return "it is missing";
    const envelope = openEnvelope(bytes);
    if ("problem" in envelope) return `${envelope.problem}; expected ${envelope.expected}`;
    return parse(envelope.payload, envelope.version);
  } catch (problem) {
    if (problem instanceof Error && !(problem instanceof AssertionFailure)) return problem.message;
    throw problem;
  }
}

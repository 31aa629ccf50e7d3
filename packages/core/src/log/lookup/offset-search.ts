/** The batch that holds an offset, by the steps by which a read finds it (segment-reader.ts), which are told. */
import type { ScannedFrame } from "../frames/frame-scan.ts";
import {
  type LocatedBatch,
  type LookupLog,
  type LookupSegment,
  type LookupStep,
  segmentHolding,
} from "../segment/lookup.ts";
import { damage } from "../segment/segment-reader.ts";
import { scanSegment, withTrueIndex } from "./segment-scan.ts";

/** `offset` must be in the log. Whether the batch is sound is for the caller to check. Throws STORAGE_ERROR, DiskError. */
export function findOffset(log: LookupLog, offset: number, steps: LookupStep[]): LocatedBatch {
  const compared: LookupSegment[] = [];
  const segment = segmentHolding(log.all(), offset, (candidate) => compared.push(candidate));
  for (const other of compared) if (other !== segment) steps.push(segmentStep(other, false));
  steps.push(segmentStep(segment, true));
  const judge = ({ header }: ScannedFrame) => (header.nextOffset > offset ? "take" : "next");
  const frame = withTrueIndex(segment, steps, () =>
    scanSegment(segment, steps, { hit: segment.entryFor(offset), check: "headers", judge }),
  );
  if (frame !== null) return { ...frame, segment };
  const problem = `the batches end here, expected offset ${offset} among them`;
  throw damage({ file: segment }, { position: segment.sizeBytes, problem }, offset);
}

function segmentStep(segment: LookupSegment, taken: boolean): LookupStep {
  const { baseOffset, nextOffset, maxTimestampMs } = segment;
  return { kind: "segment", segment: baseOffset, nextOffset, maxTimestampMs, taken };
}

/** The second door, for reading the files of a broker that is stopped. Nothing here writes, and nothing needs the lock. */
export { type Envelope, type EnvelopeProblem, openEnvelope } from "./checkpoint-envelope.ts";
export { isLogFileName, MANIFEST_FILE_NAME, type NumberedFile, parseFileName } from "./file-names.ts";
export { type ScanEnd, type ScannedFrame, type ScanRange, scanFrames } from "./frame-scan.ts";
export { type Manifest, parseManifest, type RecoveryPoint } from "./manifest.ts";
export { type DecodedIndex, type IndexEntry, OffsetIndex } from "./offset-index.ts";
export type { SegmentExtent } from "./segment.ts";

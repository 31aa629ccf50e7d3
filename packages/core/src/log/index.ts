/** The second door, for reading a broker's files from outside. Nothing here writes, and nothing needs the lock. */
export { type Disk, DiskError } from "../env/disk.ts";
export { NodeDisk } from "../env/node-disk.ts";
export { type Envelope, type EnvelopeProblem, openEnvelope } from "./checkpoint-envelope.ts";
export { isLogFileName, MANIFEST_FILE_NAME, type NumberedFile, parseFileName } from "./file-names.ts";
export type { Finding } from "./finding.ts";
export { type FolderDamage, type FolderFind, findInFolder } from "./folder-lookup.ts";
export { type ScanEnd, type ScannedFrame, type ScanRange, scanFrames } from "./frame-scan.ts";
export { type InspectionOptions, inspectPartition, partitionFolders } from "./inspection.ts";
export type { FoundBatch, FoundRecord, SoughtPlace } from "./log-find.ts";
export type { LookupStep, TimedOffset } from "./lookup.ts";
export { type Manifest, parseManifest, type RecoveryPoint } from "./manifest.ts";
export { type DecodedIndex, type IndexEntry, OffsetIndex } from "./offset-index.ts";
export type { SegmentExtent } from "./segment-extent.ts";
export { type DecodedTimeIndex, type TimeCoverage, type TimeEntry, TimeIndex } from "./time-index.ts";

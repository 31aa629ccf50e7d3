/** The second door, for reading a broker's files from outside. Nothing here writes, and nothing needs the lock of a data folder. */
export { readMarkerValue } from "@minikafka/record";
export { type Disk, DiskError, FolderHeldError } from "../env/disk.ts";
export { NodeDisk } from "../env/node-disk.ts";
export { type Envelope, type EnvelopeProblem, openEnvelope } from "./files/checkpoint-envelope.ts";
export { isLogFileName, MANIFEST_FILE_NAME, type NumberedFile, parseFileName } from "./files/file-names.ts";
export { type ScanEnd, type ScannedFrame, type ScanRange, scanFrames } from "./frames/frame-scan.ts";
export {
  type AbortedEntry,
  type AbortedExtent,
  AbortedIndex,
  type DecodedAborted,
} from "./indexes/aborted-index.ts";
export { type DecodedIndex, type IndexEntry, OffsetIndex } from "./indexes/offset-index.ts";
export type { TimedOffset } from "./indexes/segment-times.ts";
export { type DecodedTimeIndex, type TimeCoverage, type TimeEntry, TimeIndex } from "./indexes/time-index.ts";
export type { Finding } from "./inspection/finding.ts";
export { type FolderDamage, type FolderFind, findInFolder } from "./inspection/folder-lookup.ts";
export { type FolderSurvey, type LeftOver, surveyFolders } from "./inspection/folder-survey.ts";
export { type InspectionOptions, inspectPartition, partitionFolders } from "./inspection/inspection.ts";
export { foundRecordFields, lookupStepFields } from "./lookup/find-fields.ts";
export type { FoundBatch, FoundRecord, SoughtPlace } from "./lookup/log-find.ts";
export type { Manifest, RecoveryPoint } from "./manifest/manifest.ts";
export { parseManifest } from "./manifest/manifest-payload.ts";
export type { LookupStep } from "./segment/lookup.ts";
export type { SegmentExtent } from "./segment/segment-extent.ts";

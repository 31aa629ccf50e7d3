/** Whole clusters with clients over a simulated network, and the judges that look on. */
export type { Dials, Happening, What } from "./history/happenings.ts";
export type {
  AnyOperation,
  History,
  Operation,
  OperationKind,
  OperationKinds,
  Outcome,
  SeenRecord,
  SentRecord,
} from "./history/history.ts";
export type { PlacedOffset, PlaceName } from "./history/place.ts";
export { type Recorded, Recorder } from "./history/recorder.ts";

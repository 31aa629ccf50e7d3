/** What inspection tells of a partition's folder. */
import type { BatchHeader, StoredRecord } from "@minikafka/record";
import type { AbortedEntry } from "../indexes/aborted-index.ts";
import type { IndexEntry } from "../indexes/offset-index.ts";
import type { TimeEntry } from "../indexes/time-index.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { ProducerEntry } from "../producers/producer-state.ts";
import type { Transactions } from "../producers/transaction-state.ts";

/** One thing that was found. Files are named by their whole path. */
export type Finding =
  | { readonly kind: "manifest"; readonly file: string; readonly manifest: Manifest }
  /** A segment begins; its batches follow. */
  | {
      readonly kind: "segment";
      readonly file: string;
      readonly baseOffset: number;
      readonly sizeBytes: number;
      readonly sealed: boolean;
    }
  /** A batch; one with a problem is followed by the damage or the tail that it is. */
  | {
      readonly kind: "batch";
      readonly file: string;
      readonly segmentBaseOffset: number;
      readonly position: number;
      readonly header: BatchHeader;
      readonly problem: string | null;
      readonly records: readonly StoredRecord[] | null;
    }
  /** An index that is missing or wrong is made anew by the broker: its problem is no damage. */
  | {
      readonly kind: "index";
      readonly file: string;
      readonly segmentBaseOffset: number;
      readonly entries: readonly IndexEntry[];
      readonly problem: string | null;
    }
  | {
      readonly kind: "time_index";
      readonly file: string;
      readonly segmentBaseOffset: number;
      readonly entries: readonly TimeEntry[];
      readonly problem: string | null;
    }
  /** Told of a segment that has such a file, or that should: one that is sealed and has an abort marker. */
  | {
      readonly kind: "aborted_index";
      readonly file: string;
      readonly segmentBaseOffset: number;
      readonly entries: readonly AbortedEntry[];
      readonly problem: string | null;
    }
  /** A snapshot that is missing or wrong is made up for by the broker: its problem is no damage. */
  | {
      readonly kind: "snapshot";
      readonly file: string;
      readonly offset: number;
      readonly producers: readonly ProducerEntry[];
      /** `null`: the log has had none, or the snapshot cannot be read. */
      readonly transactions: Transactions | null;
      readonly problem: string | null;
    }
  /** What was written and never finished: recovery cuts it. */
  | { readonly kind: "tail"; readonly file: string; readonly position: number; readonly problem: string }
  | {
      readonly kind: "damage";
      readonly file: string;
      readonly position: number | null;
      readonly problem: string;
    };

/** Where a group is to go on: the new offset of each partition, from what was asked for. Pure. */
import { CliError } from "../failure.ts";

/** As kafka-consumer-groups --reset-offsets has them. */
export type SeekTarget =
  | { readonly kind: "earliest" }
  | { readonly kind: "latest" }
  | { readonly kind: "offset"; readonly offset: number }
  | { readonly kind: "time"; readonly timestampMs: number }
  | { readonly kind: "shift"; readonly by: number };

/** A partition as it is now. */
export interface SeekPlace {
  readonly topic: string;
  readonly partition: number;
  /** `null` when nothing is committed. */
  readonly committed: number | null;
  readonly start: number;
  /** The end of what is visible, exclusive. */
  readonly end: number;
  /** The first record of the time asked for, or later; `null` when there is none, or no time was asked for. */
  readonly atTime: number | null;
}

export interface PlannedSeek {
  readonly topic: string;
  readonly partition: number;
  readonly oldOffset: number | null;
  readonly newOffset: number;
  /** What was asked for, where the log does not reach it; else `null`. */
  readonly asked: number | null;
}

/** Within the log's bounds, as Kafka does it. Throws NOT_FOUND for a shift of what is not committed. */
export function plannedSeek(place: SeekPlace, target: SeekTarget): PlannedSeek {
  const { topic, partition, committed: oldOffset, start, end } = place;
  const asked = askedOffset(place, target);
  const newOffset = Math.min(end, Math.max(start, asked));
  return { topic, partition, oldOffset, newOffset, asked: asked === newOffset ? null : asked };
}

function askedOffset({ topic, partition, committed, start, end, atTime }: SeekPlace, target: SeekTarget) {
  switch (target.kind) {
    case "earliest":
      return start;
    case "latest":
      return end;
    case "offset":
      return target.offset;
    case "time":
      return atTime ?? end;
    case "shift":
      if (committed !== null) return committed + target.by;
      throw new CliError(
        "NOT_FOUND",
        `nothing is committed for ${topic} [${partition}], so it cannot be shifted`,
        {
          hint: "--topic names other partitions; --to-earliest or --to-offset gives this one an offset",
        },
      );
  }
}

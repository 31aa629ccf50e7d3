/** What `fetch` is asked for. Apart from its work, so that `--help` loads none of it. */
import type { Isolation } from "../input/arguments.ts";
import type { OffsetSpec } from "../input/offset-spec.ts";

export interface FetchOptions {
  /** Ascending, none twice; all of the topic's when not given. */
  readonly partition?: readonly number[];
  readonly offset: OffsetSpec;
  /** At most so many records of all partitions together. */
  readonly count?: number;
  readonly exit?: true;
  readonly failIfEmpty?: true;
  readonly isolation?: Isolation;
  readonly format?: string;
  readonly null?: true;
}

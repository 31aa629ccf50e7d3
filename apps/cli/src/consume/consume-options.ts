/** What `consume` is asked for. Apart from its work, so that `--help` loads none of it. */
import type { Assignor } from "@minikafka/client";
import type { Isolation } from "../input/arguments.ts";

export interface ConsumeOptions {
  readonly group?: string;
  /** Where to begin in a partition without a committed offset. */
  readonly offset?: "earliest" | "latest";
  readonly count?: number;
  readonly exit?: true;
  readonly failIfEmpty?: true;
  readonly isolation?: Isolation;
  readonly format?: string;
  readonly null?: true;
  /** False with --no-commit. */
  readonly commit: boolean;
  readonly assignor?: Assignor;
  readonly member?: string;
  readonly sessionTimeout?: number;
}

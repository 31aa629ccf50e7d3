/** What `produce` is asked for. Apart from its work, so that `--help` loads none of it. */
import type { AcksText, CompressionText } from "../input/arguments.ts";
import type { RecordOptions } from "../input/record-options.ts";

export interface ProduceOptions extends RecordOptions {
  /** Default 1; all with `idempotent` or `transactionalId`, which take nothing else. */
  readonly acks?: AcksText;
  /** What batches are compressed with; default none. */
  readonly compression?: CompressionText;
  /** Each record once and in order, whatever breaks on the way. */
  readonly idempotent?: boolean;
  /** With `idempotent`: who produces, from one run to the next. */
  readonly name?: string;
  /** All of the input is one transaction of this id. */
  readonly transactionalId?: string;
  /** With `transactionalId`: milliseconds. */
  readonly transactionTimeout?: number;
}

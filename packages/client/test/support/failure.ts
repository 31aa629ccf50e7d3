import { MiniKafkaError } from "../../src/errors.ts";

/** What a promise fails with, which must be one of the SDK's errors. */
export async function failure(promise: Promise<unknown>): Promise<MiniKafkaError> {
  const error = await promise.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MiniKafkaError)) throw error;
  return error;
}

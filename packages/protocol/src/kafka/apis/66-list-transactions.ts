/** ListTransactions: the transactional ids that the asked broker coordinates (KIP-664). Version 1 chooses by age (KIP-994). */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

/** No age is asked for. */
export const ANY_DURATION = -1;

export const listTransactions = api({
  key: 66,
  name: "ListTransactions",
  versions: [0, 1],
  flexibleFrom: 0,
  request: struct({
    /** None: all. */
    stateFilters: field(arrayOf(string)),
    /** None: all. */
    producerIdFilters: field(arrayOf(int64)),
    /** Of transactions that have been open for longer. */
    durationFilter: field(int64, { versions: "1+", default: ANY_DURATION }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16),
    /** Those that are the name of no state. */
    unknownStateFilters: field(arrayOf(string)),
    transactionStates: field(
      arrayOf(
        struct({
          transactionalId: field(string),
          producerId: field(int64),
          transactionState: field(string),
        }),
      ),
    ),
  }),
});

/**
 * FindCoordinator: which broker keeps a group or a transactional id.
 *
 * Version 1 brought transactional ids (KIP-98), 4 many keys at once (KIP-699), 5 TRANSACTION_ABORTABLE (KIP-890), 6 share
 * groups (KIP-932), which are not kept here. Up to version 3 the answer lies in the fields of the response itself.
 */
import { int8, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

/** What a key is. */
export const KEY_TYPE_GROUP = 0;
export const KEY_TYPE_TRANSACTION = 1;

export const findCoordinator = api({
  key: 10,
  name: "FindCoordinator",
  versions: [0, 6],
  flexibleFrom: 3,
  request: struct({
    key: field(string, { versions: "0-3", default: "" }),
    keyType: field(int8, { versions: "1+", default: KEY_TYPE_GROUP }),
    coordinatorKeys: field(arrayOf(string), { versions: "4+", default: [] }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "1+", default: 0 }),
    errorCode: field(int16, { versions: "0-3", default: 0 }),
    errorMessage: field(string, { versions: "1-3", nullable: "1-3", default: null }),
    /** -1, "" and -1 with an error. */
    nodeId: field(int32, { versions: "0-3", default: -1 }),
    host: field(string, { versions: "0-3", default: "" }),
    port: field(int32, { versions: "0-3", default: -1 }),
    coordinators: field(
      arrayOf(
        struct({
          key: field(string),
          nodeId: field(int32),
          host: field(string),
          port: field(int32),
          errorCode: field(int16),
          errorMessage: field(string, { nullable: "4+", default: null }),
        }),
      ),
      { versions: "4+", default: [] },
    ),
  }),
});

/**
 * ListGroups: the groups of which the asked broker is the coordinator.
 *
 * Version 1 brought the throttle time, 4 states and a choice by them (KIP-518), 5 types and a choice by them (KIP-848).
 */
import { int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const listGroups = api({
  key: 16,
  name: "ListGroups",
  versions: [0, 5],
  flexibleFrom: 3,
  request: struct({
    /** None: all states. */
    statesFilter: field(arrayOf(string), { versions: "4+", default: [] }),
    /** None: all types. */
    typesFilter: field(arrayOf(string), { versions: "5+", default: [] }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "1+", default: 0 }),
    errorCode: field(int16),
    groups: field(
      arrayOf(
        struct({
          groupId: field(string),
          protocolType: field(string),
          groupState: field(string, { versions: "4+", default: "" }),
          /** "classic" or "consumer". */
          groupType: field(string, { versions: "5+", default: "" }),
        }),
      ),
    ),
  }),
});

/** DeleteGroups: groups without members, with their offsets (KIP-229). All versions say the same. */
import { int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const deleteGroups = api({
  key: 42,
  name: "DeleteGroups",
  versions: [0, 2],
  flexibleFrom: 2,
  request: struct({ groupsNames: field(arrayOf(string)) }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    results: field(
      arrayOf(
        struct({
          groupId: field(string),
          errorCode: field(int16),
        }),
      ),
    ),
  }),
});

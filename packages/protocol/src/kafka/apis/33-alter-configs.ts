/**
 * AlterConfigs: the settings of a resource, all of them: what is not named goes back to its default. IncrementalAlterConfigs
 * stands for it in newer clients (KIP-339). All versions say the same.
 */
import { boolean, int8, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const alterConfigs = api({
  key: 33,
  name: "AlterConfigs",
  versions: [0, 2],
  flexibleFrom: 2,
  request: struct({
    resources: field(
      arrayOf(
        struct({
          resourceType: field(int8),
          resourceName: field(string),
          configs: field(
            arrayOf(
              struct({
                name: field(string),
                value: field(string, { nullable: "0+" }),
              }),
            ),
          ),
        }),
      ),
    ),
    validateOnly: field(boolean, { default: false }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    responses: field(
      arrayOf(
        struct({
          errorCode: field(int16),
          errorMessage: field(string, { nullable: "0+", default: null }),
          resourceType: field(int8),
          resourceName: field(string),
        }),
      ),
    ),
  }),
});

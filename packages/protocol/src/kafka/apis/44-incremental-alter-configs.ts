/** IncrementalAlterConfigs: single settings of a resource, the others stay (KIP-339). Both versions say the same. */
import { boolean, int8, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const incrementalAlterConfigs = api({
  key: 44,
  name: "IncrementalAlterConfigs",
  versions: [0, 1],
  flexibleFrom: 1,
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
                /** See config-numbers.ts. */
                configOperation: field(int8),
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

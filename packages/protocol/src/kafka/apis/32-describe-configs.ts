/**
 * DescribeConfigs: the settings of topics and brokers, with where each value comes from.
 *
 * Version 1 brought sources and synonyms (KIP-226) in the place of one flag for defaults, 3 types and documentation (KIP-569).
 */
import { boolean, int8, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

const config = struct({
  name: field(string),
  value: field(string, { nullable: "0+" }),
  readOnly: field(boolean),
  /** See config-numbers.ts. */
  configSource: field(int8),
  isSensitive: field(boolean),
  /** Where else the value is looked for, in this order; nobody asked for it: none. */
  synonyms: field(
    arrayOf(
      struct({
        name: field(string),
        value: field(string, { nullable: "0+" }),
        source: field(int8),
      }),
    ),
    { default: [] },
  ),
  configType: field(int8, { versions: "3+", default: 0 }),
  documentation: field(string, { versions: "3+", nullable: "3+", default: null }),
});

export const describeConfigs = api({
  key: 32,
  name: "DescribeConfigs",
  versions: [1, 4],
  flexibleFrom: 4,
  request: struct({
    resources: field(
      arrayOf(
        struct({
          resourceType: field(int8),
          resourceName: field(string),
          /** Null: all. */
          configurationKeys: field(arrayOf(string), { nullable: "0+", default: null }),
        }),
      ),
    ),
    includeSynonyms: field(boolean, { default: false }),
    includeDocumentation: field(boolean, { versions: "3+", default: false }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    results: field(
      arrayOf(
        struct({
          errorCode: field(int16),
          errorMessage: field(string, { nullable: "0+", default: null }),
          resourceType: field(int8),
          resourceName: field(string),
          configs: field(arrayOf(config)),
        }),
      ),
    ),
  }),
});

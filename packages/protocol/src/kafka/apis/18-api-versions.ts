/**
 * ApiVersions: what a client asks first, and what the broker can do.
 *
 * The versions differ little: 1 brought the throttle time, 3 the client's name and version (KIP-511) and features of the
 * cluster (KIP-584), 4 features that begin at 0. A broker that does not know the version of the request answers in version
 * 0, with UNSUPPORTED_VERSION and its table. The header of the response has no tagged fields in any version, so that a
 * client can read it before it knows anything of the broker.
 */
import { boolean, int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const apiVersions = api({
  key: 18,
  name: "ApiVersions",
  versions: [0, 4],
  flexibleFrom: 3,
  plainResponseHeader: true,
  request: struct({
    clientSoftwareName: field(string, { versions: "3+", default: "" }),
    clientSoftwareVersion: field(string, { versions: "3+", default: "" }),
  }),
  response: struct({
    errorCode: field(int16),
    apiKeys: field(
      arrayOf(
        struct({
          apiKey: field(int16),
          minVersion: field(int16),
          maxVersion: field(int16),
        }),
      ),
    ),
    throttleTimeMs: field(int32, { versions: "1+", default: 0 }),
    supportedFeatures: field(
      arrayOf(
        struct({
          name: field(string),
          minVersion: field(int16),
          maxVersion: field(int16),
        }),
      ),
      { versions: "3+", tag: 0, default: [] },
    ),
    /** Counts the changes of the finalized features; -1: not known. */
    finalizedFeaturesEpoch: field(int64, { versions: "3+", tag: 1, default: -1 }),
    finalizedFeatures: field(
      arrayOf(
        struct({
          name: field(string),
          maxVersionLevel: field(int16),
          minVersionLevel: field(int16),
        }),
      ),
      { versions: "3+", tag: 2, default: [] },
    ),
    /** Of the move away from ZooKeeper; here always false. */
    zkMigrationReady: field(boolean, { versions: "3+", tag: 3, default: false }),
  }),
});

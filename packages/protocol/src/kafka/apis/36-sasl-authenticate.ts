/** SaslAuthenticate: a token of the mechanism that SaslHandshake has named (KIP-152). Version 1 brought the session's lifetime (KIP-368). */
import { bytes, int16, int64, string } from "../field-types.ts";
import { api, field, struct } from "../schema.ts";

export const saslAuthenticate = api({
  key: 36,
  name: "SaslAuthenticate",
  versions: [0, 2],
  flexibleFrom: 2,
  request: struct({ authBytes: field(bytes) }),
  response: struct({
    errorCode: field(int16),
    errorMessage: field(string, { nullable: "0+", default: null }),
    authBytes: field(bytes),
    /** 0: for as long as the connection is there. */
    sessionLifetimeMs: field(int64, { versions: "1+", default: 0 }),
  }),
});

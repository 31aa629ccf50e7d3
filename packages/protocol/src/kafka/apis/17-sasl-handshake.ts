/**
 * SaslHandshake: the client names the mechanism by which it wants to say who it is.
 *
 * After version 0 bare tokens follow, which are no requests; after version 1 they come in SaslAuthenticate (KIP-152).
 */
import { int16, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const saslHandshake = api({
  key: 17,
  name: "SaslHandshake",
  versions: [0, 1],
  flexibleFrom: null,
  request: struct({ mechanism: field(string) }),
  response: struct({
    errorCode: field(int16),
    /** Those that the broker knows. */
    mechanisms: field(arrayOf(string)),
  }),
});

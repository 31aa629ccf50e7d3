/**
 * DeleteTopics: topics by name, and by id.
 *
 * Version 5 brought the message of an error (KIP-599), 6 ids (KIP-516): `topics` stands for `topicNames` from then on.
 */
import { int16, int32, string, uuid, ZERO_UUID } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const deleteTopics = api({
  key: 20,
  name: "DeleteTopics",
  versions: [1, 6],
  flexibleFrom: 4,
  request: struct({
    topics: field(
      arrayOf(
        struct({
          /** Null: `topicId` says which. */
          name: field(string, { nullable: "6+", default: null }),
          topicId: field(uuid, { default: ZERO_UUID }),
        }),
      ),
      { versions: "6+", default: [] },
    ),
    topicNames: field(arrayOf(string), { versions: "1-5", default: [] }),
    timeoutMs: field(int32),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    responses: field(
      arrayOf(
        struct({
          /** Null: no topic has the id. */
          name: field(string, { nullable: "6+" }),
          topicId: field(uuid, { versions: "6+", default: ZERO_UUID }),
          errorCode: field(int16),
          errorMessage: field(string, { versions: "5+", nullable: "5+", default: null }),
        }),
      ),
    ),
  }),
});

/** The types that follow from the descriptions: a handler that forgets a field, or gives a wrong one, does not compile. */
import { expectTypeOf, test } from "vitest";
import type { RequestInputOf, RequestOf, ResponseOf, ResponseValueOf } from "../src/kafka/index.ts";

test("a request has every field, and null where some version has it", () => {
  expectTypeOf<RequestOf<"Metadata">>().toEqualTypeOf<{
    readonly topics: readonly { readonly topicId: string; readonly name: string | null }[] | null;
    readonly allowAutoTopicCreation: boolean;
    readonly includeClusterAuthorizedOperations: boolean;
    readonly includeTopicAuthorizedOperations: boolean;
  }>();
  expectTypeOf<RequestOf<"Produce">["topicData"][number]["partitionData"][number]>().toEqualTypeOf<{
    readonly index: number;
    readonly records: Buffer | null;
  }>();
});

test("what has a default or a tag may be left out when it is written, and nothing else", () => {
  expectTypeOf<{ errorCode: number }>().toExtend<ResponseOf<"Heartbeat">>();
  expectTypeOf<{ throttleTimeMs: number }>().not.toExtend<ResponseOf<"Heartbeat">>();
  expectTypeOf<{ errorCode: string }>().not.toExtend<ResponseOf<"Heartbeat">>();
  expectTypeOf<{ maxWaitMs: 1; minBytes: 1; topics: [] }>().toExtend<RequestInputOf<"Fetch">>();
});

test("what was read can be written", () => {
  expectTypeOf<RequestOf<"Fetch">>().toExtend<RequestInputOf<"Fetch">>();
  expectTypeOf<ResponseValueOf<"Fetch">>().toExtend<ResponseOf<"Fetch">>();
});

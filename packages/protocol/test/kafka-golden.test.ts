/** Messages as bytes, written by hand: what a round trip cannot tell, since both ways could share a mistake. */
import { describe, expect, test } from "vitest";
import {
  API_TABLE,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  OPERATIONS_NOT_ASKED,
  requestFrame,
  responseFrame,
} from "../src/kafka/index.ts";

const apiVersions = API_TABLE[18];
const metadata = API_TABLE[3];
const produce = API_TABLE[0];
const fetch = API_TABLE[1];

/** Bytes from hexadecimal digits; spaces and what stands behind a # are for the reader. */
function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/#.*$/gm, "").replaceAll(/\s/g, ""), "hex");
}

describe("ApiVersions", () => {
  test("a request of version 3 has header 2, whose client id keeps two bytes of length", () => {
    const header = { apiVersion: 3, correlationId: 7, clientId: "c" };
    const request = { clientSoftwareName: "ab", clientSoftwareVersion: "1" };
    expect(Buffer.concat(requestFrame(apiVersions, header, request))).toEqual(
      hex(`00000012            # size
           0012 0003 00000007  # key, version, correlation id
           0001 63 00          # client id, no tagged fields
           03 6162  02 31  00  # two compact strings, no tagged fields`),
    );
  });

  test("a response has header 0 in version 3 as well: nothing stands between the correlation id and the error", () => {
    const response = { errorCode: 0, apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: 4 }] };
    expect(Buffer.concat(responseFrame(apiVersions, 3, 7, response))).toEqual(
      hex(`00000013
           00000007
           0000
           02 0012 0000 0004 00
           00000000
           00`),
    );
  });

  test("a response of version 0 has nothing but the error and the keys", () => {
    const response = { errorCode: 35, apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: 4 }] };
    expect(encodeResponse(apiVersions, 0, response)).toEqual(hex("0023 00000001 0012 0000 0004"));
  });

  test("tagged fields are written where they differ from their defaults, in the order of their numbers", () => {
    const bytes = hex(`0000 01 00000000
                       02                                # two tagged fields
                       01 08 0000000000000005            # epoch
                       02 09 02 03 7476 0002 0001 00     # one feature, "tv"`);
    const response = {
      errorCode: 0,
      apiKeys: [],
      finalizedFeatures: [{ name: "tv", maxVersionLevel: 2, minVersionLevel: 1 }],
      finalizedFeaturesEpoch: 5,
    };
    expect(encodeResponse(apiVersions, 4, response)).toEqual(bytes);
    expect(decodeResponse(apiVersions, 4, bytes)).toEqual({
      ...response,
      throttleTimeMs: 0,
      supportedFeatures: [],
      zkMigrationReady: false,
    });
  });

  test("tagged fields that are not known are skipped", () => {
    expect(decodeRequest(apiVersions, 3, hex("02 61 02 62 02 00 01 ff 90 01 03 010203"))).toEqual({
      clientSoftwareName: "a",
      clientSoftwareVersion: "b",
    });
  });
});

describe("Metadata", () => {
  test("null asks for all topics from version 1 on, in the form of the version", () => {
    expect(encodeRequest(metadata, 1, { topics: null })).toEqual(hex("ffffffff"));
    expect(encodeRequest(metadata, 4, { topics: null })).toEqual(hex("ffffffff 01"));
    expect(encodeRequest(metadata, 12, { topics: null })).toEqual(hex("00 01 00 00"));
  });

  test("a request of version 12 names topics by id or by name", () => {
    const bytes = hex(`03
                       00112233445566778899aabbccddeeff 00 00
                       00000000000000000000000000000000 02 74 00
                       00 01 00`);
    expect(decodeRequest(metadata, 12, bytes)).toEqual({
      topics: [
        { topicId: "00112233-4455-6677-8899-aabbccddeeff", name: null },
        { topicId: "00000000-0000-0000-0000-000000000000", name: "t" },
      ],
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: true,
    });
  });

  test("what a version does not have is left out when it is written, and is its default when it is read", () => {
    const response = {
      brokers: [{ nodeId: 1, host: "h", port: 9092, rack: "r" }],
      clusterId: "id",
      controllerId: 1,
      topics: [
        {
          errorCode: 0,
          name: "t",
          partitions: [
            {
              errorCode: 0,
              partitionIndex: 0,
              leaderId: 1,
              leaderEpoch: 3,
              replicaNodes: [1],
              isrNodes: [1],
            },
          ],
        },
      ],
    };
    const bytes = hex(`00000001 00000001 0001 68 00002384                    # brokers
                       00000001 0000 0001 74                                # topics
                       00000001 0000 00000000 00000001 00000001 00000001 00000001 00000001`);
    expect(encodeResponse(metadata, 0, response)).toEqual(bytes);
    expect(decodeResponse(metadata, 0, bytes)).toMatchObject({
      clusterId: null,
      controllerId: -1,
      brokers: [{ rack: null }],
      topics: [{ partitions: [{ leaderEpoch: -1, offlineReplicas: [] }] }],
      clusterAuthorizedOperations: OPERATIONS_NOT_ASKED,
    });
  });
});

describe("Produce", () => {
  const request = {
    transactionalId: null,
    acks: -1,
    timeoutMs: 1000,
    topicData: [{ name: "t", partitionData: [{ index: 2, records: hex("beef") }] }],
  };

  test("records stand behind a length of four bytes in version 3, and behind a compact one from 9 on", () => {
    const plain = hex(`ffff ffff 000003e8 00000001 0001 74 00000001 00000002 00000002 beef`);
    const compact = hex(`00 ffff 000003e8 02 02 74 02 00000002 03 beef 00 00 00`);
    expect(encodeRequest(produce, 3, request)).toEqual(plain);
    expect(encodeRequest(produce, 9, request)).toEqual(compact);
    expect(decodeRequest(produce, 3, plain)).toEqual(request);
    expect(decodeRequest(produce, 9, compact)).toEqual(request);
  });

  test("who leads instead is told in tagged fields from version 10 on, and before not at all", () => {
    const partition = {
      index: 0,
      errorCode: 6,
      baseOffset: -1,
      currentLeader: { leaderId: 2, leaderEpoch: 7 },
    };
    const response = {
      responses: [{ name: "t", partitionResponses: [partition] }],
      nodeEndpoints: [{ nodeId: 2, host: "h", port: 9094 }],
    };
    const head = "02 02 74 02 00000000 0006 ffffffffffffffff ffffffffffffffff ffffffffffffffff 01 00";
    const leader = "01 00 09 00000002 00000007 00";
    const endpoint = "01 00 0d 02 00000002 02 68 00002386 00 00";
    expect(encodeResponse(produce, 9, response)).toEqual(hex(`${head} 00 00 00000000 00`));
    expect(encodeResponse(produce, 10, response)).toEqual(hex(`${head} ${leader} 00 00000000 ${endpoint}`));
  });
});

describe("Fetch", () => {
  test("topics are named up to version 12 and known by their ids from 13 on", () => {
    const topicId = "00112233-4455-6677-8899-aabbccddeeff";
    const request = {
      maxWaitMs: 500,
      minBytes: 1,
      topics: [
        { topic: "t", topicId, partitions: [{ partition: 1, fetchOffset: 5, partitionMaxBytes: 64 }] },
      ],
    };
    const sizes = "000001f4 00000001 7fffffff 00 00000000 ffffffff";
    const partition = "02 00000001 ffffffff 0000000000000005 ffffffff ffffffffffffffff 00000040 00";
    const end = "00 01 01 00";
    expect(encodeRequest(fetch, 12, request)).toEqual(hex(`ffffffff ${sizes} 02 02 74 ${partition} ${end}`));
    expect(encodeRequest(fetch, 13, request)).toEqual(
      hex(`ffffffff ${sizes} 02 00112233445566778899aabbccddeeff ${partition} ${end}`),
    );
    // From 15 on a consumer says nothing of replicas.
    expect(encodeRequest(fetch, 15, request)).toEqual(
      hex(`${sizes} 02 00112233445566778899aabbccddeeff ${partition} ${end}`),
    );
  });
});

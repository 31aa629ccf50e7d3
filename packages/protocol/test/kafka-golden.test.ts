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

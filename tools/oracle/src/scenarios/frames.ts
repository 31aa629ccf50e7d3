/** Frames that are no request: what a broker does with a client that is out of its mind. */
import { requestFrame } from "@minikafka/protocol/kafka";
import { apiNamed, Connection } from "../connection.ts";
import type { World } from "../world.ts";
import type { Scenario } from "./scenario.ts";

function framed(body: Buffer, size = body.length): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32BE(size);
  return Buffer.concat([head, body]);
}

/** A header of version 1: key, version, correlation id 7, no client. */
function header(key: number, version: number): Buffer {
  const bytes = Buffer.alloc(10);
  bytes.writeInt16BE(key, 0);
  bytes.writeInt16BE(version, 2);
  bytes.writeInt32BE(7, 4);
  bytes.writeInt16BE(-1, 8);
  return bytes;
}

function good(): Buffer {
  const asked = { apiVersion: 1, correlationId: 7, clientId: null };
  return Buffer.concat(requestFrame(apiNamed("Metadata"), asked, { topics: [] }));
}

const FRAMES: readonly (readonly [string, Buffer])[] = [
  ["a good one", good()],
  ["an API that nobody has", framed(header(999, 0))],
  ["an API below 0", framed(header(-1, 0))],
  ["a version that is to come", framed(Buffer.concat([header(3, 99), Buffer.alloc(20)]))],
  ["a version below 0", framed(Buffer.concat([header(3, -1), Buffer.alloc(20)]))],
  ["a version of ApiVersions that is to come", framed(Buffer.concat([header(18, 99), Buffer.alloc(20)]))],
  ["ApiVersions of version 0", framed(header(18, 0))],
  ["Produce of version 2", framed(Buffer.concat([header(0, 2), Buffer.alloc(10)]))],
  ["no body", framed(header(3, 1))],
  ["half of a body", framed(good().subarray(4, 16))],
  ["bytes behind the body", framed(Buffer.concat([good().subarray(4), Buffer.alloc(8)]))],
  ["an array of a billion", framed(Buffer.concat([header(3, 1), Buffer.of(0x3f, 0xff, 0xff, 0xff)]))],
  ["half of a header", framed(header(3, 1).subarray(0, 6))],
  ["a size of 0", framed(Buffer.alloc(0))],
  ["a size below 0", framed(Buffer.alloc(8), -5)],
  ["a size of two billion", framed(Buffer.alloc(8), 2_000_000_000)],
  ["something else than Kafka's protocol", Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n")],
];

async function run(world: World): Promise<void> {
  for (const [what, bytes] of FRAMES) {
    const connection = await Connection.open(world.side.host, world.side.port);
    const answer = await connection.exchange(bytes);
    connection.close();
    const errorCode = typeof answer === "string" ? null : answer.readInt16BE(4);
    const isApiVersions = bytes.readInt16BE(4) === 18;
    world.note(
      what,
      "ApiVersions",
      typeof answer === "string" ? answer : isApiVersions ? errorCode : "an answer",
    );
  }
}

export const FRAME_SCENARIOS: readonly Scenario[] = [{ name: "frames", run }];

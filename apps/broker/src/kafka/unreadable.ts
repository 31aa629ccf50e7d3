/** Why what came to a port for Kafka's clients is not read, in words for who looks at the log or watches. */
import {
  type AnyApi,
  type FrameRefused,
  type RequestHeader,
  servedVersions,
} from "@minikafka/protocol/kafka";

/** Of a request whose body nobody knows. */
export function unspoken({ apiKey, apiVersion }: RequestHeader, api: AnyApi | null): string {
  if (api === null) return `Kafka's API ${apiKey} is not offered, nor named in ApiVersions`;
  const { from, to } = servedVersions(api);
  return `${api.name} v${apiVersion} is not offered; ${from === to ? `v${from} is` : `v${from} to v${to} are`}`;
}

/** `problem`: what was expected, and where. */
export function malformed(
  header: RequestHeader | null,
  api: AnyApi | null,
  { message: problem }: Pick<Error, "message">,
): string {
  if (header === null) return `a request without a whole header: ${problem}`;
  return `${api === null ? `API ${header.apiKey}` : api.name} v${header.apiVersion} cannot be read: ${problem}`;
}

/** What other protocols begin with, where Kafka has the size of a frame. */
export function notKafkas({ frameBytes, message }: FrameRefused): string {
  const start = startOf(frameBytes);
  if (isTls(start))
    return "it begins as TLS does, which is not offered: clients connect without it (ssl: false)";
  if (isJson(start)) return "it begins as a line of JSON does, which is for the other port (--port)";
  const text = start.toString("latin1");
  return /^[ -~]{4}$/.test(text)
    ? `it begins with ${JSON.stringify(text)}, as no request of Kafka's does`
    : message;
}

export function startOf(frameBytes: number): Buffer {
  const start = Buffer.alloc(4);
  start.writeInt32BE(frameBytes);
  return start;
}

/** Such as `{"op`. */
export function isJson(start: Buffer): boolean {
  return /^\{\s*"/.test(start.toString("latin1"));
}

/** A handshake of any of its versions. */
function isTls(start: Buffer): boolean {
  return start[0] === 0x16 && start[1] === 0x03;
}

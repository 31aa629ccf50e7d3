/** A line of a trace, for people. */
import type { WatchedEvent } from "@minikafka/protocol";
import { Malformed, openRequest } from "@minikafka/protocol/kafka";
import { shownEvent } from "../watch/shown-event.ts";

interface KafkaRequest {
  readonly number: number;
  readonly connection: number;
  readonly broker_id: number;
  readonly frame_b64: string;
}

interface Asked {
  readonly number: number;
  readonly connection: number;
  readonly line?: string;
  /** In its place, where it is not UTF-8. */
  readonly line_b64?: string;
}

interface Refused {
  readonly connection: number;
  readonly request: number | null;
  readonly broker_id?: number;
  readonly reason: string;
}

interface Entry {
  readonly request?: Asked;
  readonly answer?: { readonly request: number; readonly line: string };
  readonly kafka_request?: KafkaRequest;
  readonly kafka_answer?: { readonly request: number; readonly frame_b64: string };
  readonly refused?: Refused;
  readonly event?: WatchedEvent;
  readonly closed?: { readonly connection: number };
  readonly minikafka_trace?: number;
  readonly program_version?: string;
  readonly seed?: number;
  readonly start_time_ms?: number;
}

/** `null` for a line that is of no use to people, such as a part of a file. */
export function shownEntry(line: string): string | null {
  const entry = JSON.parse(line) as Entry;
  const { request, answer, event, closed } = entry;
  if (request !== undefined)
    return `> ${request.number} (connection ${request.connection}) ${lineOf(request)}`;
  if (answer !== undefined) return `< ${answer.request} ${answer.line}`;
  if (entry.kafka_request !== undefined) return shownRequest(entry.kafka_request);
  if (entry.kafka_answer !== undefined) {
    const { request: number, frame_b64 } = entry.kafka_answer;
    return `< ${number} Kafka, ${Buffer.from(frame_b64, "base64").length} bytes`;
  }
  if (entry.refused !== undefined) return shownRefusal(entry.refused);
  if (event !== undefined) return `. ${shownEvent(event)}`;
  if (closed !== undefined) return `x (connection ${closed.connection}) closed`;
  if (entry.minikafka_trace === undefined) return null;
  return `# version ${entry.program_version}, seed ${entry.seed}, from ${entry.start_time_ms} ms`;
}

/** What is not UTF-8 is told by its size. */
function lineOf({ line, line_b64 }: Asked): string {
  return line ?? `${Buffer.from(line_b64 ?? "", "base64").length} bytes that are not UTF-8`;
}

function shownRequest({ number, connection, broker_id: brokerId, frame_b64 }: KafkaRequest): string {
  const frame = Buffer.from(frame_b64, "base64");
  return `> ${number} (connection ${connection}, broker ${brokerId}) Kafka ${kafkaName(frame)}, ${frame.length} bytes`;
}

function shownRefusal({ connection, request, broker_id: brokerId, reason }: Refused): string {
  const broker = brokerId === undefined ? "" : `, broker ${brokerId}`;
  return `! ${request ?? "-"} (connection ${connection}${broker}) ${JSON.stringify(reason)}`;
}

/** The API with its version; what cannot be read is told as such. */
function kafkaName(frame: Buffer): string {
  try {
    const { header, api } = openRequest(frame);
    return `${api?.name ?? `API ${header.apiKey}`} v${header.apiVersion}`;
  } catch (error) {
    if (error instanceof Malformed) return "?";
    throw error;
  }
}

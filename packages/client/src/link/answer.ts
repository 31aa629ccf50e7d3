/** An answer line, read as far as its envelope. What a broker sends is checked like anything that comes from outside. */
import { answerEnvelope, InvalidJson, type JsonObject, parseJsonWithBytes } from "@minikafka/protocol";
import { MiniKafkaError } from "../errors.ts";

export interface Answer {
  readonly id: string | number | undefined;
  /** Long Base64 among the fields is bytes already. */
  readonly outcome: JsonObject | MiniKafkaError;
}

/** How much of a bad line an error quotes: enough to see that it was, say, an HTTP server. */
const SHOWN_BYTES = 80;

/** Throws INVALID_ANSWER for anything but an answer. */
export function readAnswer(line: Buffer): Answer {
  let fields: JsonObject;
  try {
    fields = parseJsonWithBytes(line);
  } catch (error) {
    if (error instanceof InvalidJson) throw invalidAnswer(error.message, line);
    throw error;
  }
  const envelope = answerEnvelope.safeParse(fields);
  if (!envelope.success) throw invalidAnswer("the line has no envelope of an answer", line);
  const answer = envelope.data;
  if (answer.ok) return { id: answer.id, outcome: fields };
  const { code, message, retriable, details } = answer;
  return { id: answer.id, outcome: new MiniKafkaError(code, message, { retriable, details }) };
}

function invalidAnswer(problem: string, line: Buffer): MiniKafkaError {
  const shown = line.toString("latin1", 0, SHOWN_BYTES);
  return new MiniKafkaError("INVALID_ANSWER", `${problem}; it begins ${JSON.stringify(shown)}`);
}

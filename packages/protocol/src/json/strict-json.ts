/**
 * JSON as this protocol takes it: valid UTF-8, one object, no name twice or `__proto__`, not deeper than {@link DEPTH_MAX}.
 *
 * `JSON.parse` alone takes the last of two equal names in silence, nests without bound and makes a million objects of a line: the line's
 * structure is looked at before.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { type LineBounds, NO_BOUNDS, onlyMember, structureProblem } from "./line-structure.ts";
import { withoutControls } from "./shown-text.ts";

export { DEPTH_MAX } from "./line-structure.ts";

/** A line that is not what the protocol takes; the message is meant for the client. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson";
  /** What stands under `id` in the refused object, if that can be told; it may be anything. */
  readonly id: unknown;

  constructor(message: string, id?: unknown) {
    super(message);
    this.id = id;
  }
}

/** A parsed line: an object whose names are its own, whatever they are called. */
export type JsonObject = { readonly [name: string]: unknown };

function textOf(line: Buffer): string {
  if (isAscii(line)) return line.toString("latin1");
  if (!isUtf8(line)) throw new InvalidJson("the line is not valid UTF-8");
  return line.toString("utf8");
}

/** The object on a line. Throws {@link InvalidJson}, and for what is past `bounds` before much is made of it. */
export function parseJsonObject(line: Buffer, bounds: LineBounds = NO_BOUNDS): JsonObject {
  const text = textOf(line);
  const problem = structureProblem(text, bounds);
  if (problem !== null) throw new InvalidJson(problem, onlyMember(text, "id"));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidJson(`the line is not JSON: ${shortened((error as SyntaxError).message)}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new InvalidJson("the line is not a JSON object");
  }
  return value as JsonObject;
}

/** V8 quotes the text that it could not parse; a client should not get a megabyte back, nor what its terminal would obey. */
function shortened(message: string): string {
  return withoutControls(message.length <= 160 ? message : `${message.slice(0, 160)}…`);
}

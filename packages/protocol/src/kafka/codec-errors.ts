/** What can go wrong between bytes and values: the bytes are not the message, or the value is not one of the schema's. */

/** Knows the place in the message: the path is completed from the inside out, while the error passes the structs. */
abstract class CodecError extends Error {
  readonly #sentence: string;
  #path = "";

  protected constructor(sentence: string) {
    super(sentence);
    this.#sentence = sentence;
  }

  /** Where in the message, such as `topics[2].partitions[0].index`; "" before any field. */
  get path(): string {
    return this.#path;
  }

  /** Says in which field, or at which place of an array, this happened. */
  within(step: string | number): this {
    const own = typeof step === "number" ? `[${step}]` : step;
    const joint = this.#path === "" || this.#path.startsWith("[") ? "" : ".";
    this.#path = `${own}${joint}${this.#path}`;
    this.message = `${this.#path}: ${this.#sentence}`;
    return this;
  }
}

/** The bytes are not a message of this API and version. The only error that decoding throws. */
export class Malformed extends CodecError {
  override readonly name = "Malformed";
  /** Where the part begins that could not be read, in bytes from the beginning of what was decoded. */
  readonly position: number;
  readonly expected: string;

  constructor(position: number, expected: string) {
    super(`expected ${expected} at byte ${position}`);
    this.position = position;
    this.expected = expected;
  }
}

/** The value cannot be written: a mistake of who made it, never of the peer. */
export class Unencodable extends CodecError {
  override readonly name = "Unencodable";

  constructor(problem: string) {
    super(problem);
  }
}

/** The error with its place made more exact, where it is one of ours; any other as it is. */
export function within(step: string | number, error: unknown): unknown {
  return error instanceof CodecError ? error.within(step) : error;
}

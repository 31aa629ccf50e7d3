/**
 * Cuts standard input into messages.
 *
 * Owns the bytes of the message that is not finished, at most `messageBytesMax` of them. Each byte is copied at most
 * twice, however the stream was cut into chunks. The end of the input ends the last message, unless that one is empty: a
 * file that ends with its delimiter has no message after it.
 */

export interface SplitOptions {
  /** At least one byte. */
  readonly delimiter: Uint8Array;
  /** Whether a `\r` before the delimiter belongs to it: for lines, which Windows ends with both. */
  readonly dropCarriageReturn: boolean;
  readonly messageBytesMax: number;
}

/** A message is longer than is taken; `messageNumber` counts from 1. */
export class MessageTooLong extends Error {
  override readonly name = "MessageTooLong";
  readonly messageNumber: number;

  constructor(messageNumber: number, messageBytesMax: number) {
    super(`more than ${messageBytesMax} bytes without a delimiter`);
    this.messageNumber = messageNumber;
  }
}

const CARRIAGE_RETURN = 0x0d;

class Splitter {
  readonly #options: SplitOptions;
  /** The unfinished message, in the pieces in which it came. */
  #pieces: Buffer[] = [];
  #pendingBytes = 0;
  /** The last bytes of the unfinished message, where a delimiter may have begun. */
  #tail = Buffer.alloc(0);
  #messages = 0;
  /** Set once; nothing is split afterwards. */
  #problem: MessageTooLong | null = null;

  constructor(options: SplitOptions) {
    if (options.delimiter.length === 0) throw new RangeError("a delimiter needs at least one byte");
    this.#options = options;
  }

  /** Why nothing more is split. The messages before the one that is too long have been handed out. */
  get problem(): MessageTooLong | null {
    return this.#problem;
  }

  /** The messages that `chunk` completes: views of what came in, where they came in one piece. */
  push(chunk: Buffer): Buffer[] {
    const window = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    if (window.indexOf(this.#options.delimiter) === -1) {
      this.#keep(chunk);
      return [];
    }
    const bytes = this.#pieces.length === 0 ? chunk : Buffer.concat([...this.#pieces, chunk]);
    const messages: Buffer[] = [];
    let start = 0;
    // What was pending holds no whole delimiter, so the search need not look at it again, but for its tail.
    let end = bytes.indexOf(this.#options.delimiter, this.#pendingBytes - this.#tail.length);
    while (end !== -1) {
      if (end - start > this.#options.messageBytesMax) {
        this.#refuse();
        return messages;
      }
      messages.push(this.#finished(bytes.subarray(start, end)));
      start = end + this.#options.delimiter.length;
      end = bytes.indexOf(this.#options.delimiter, start);
    }
    this.#pieces = [];
    this.#pendingBytes = 0;
    this.#tail = Buffer.alloc(0);
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return messages;
  }

  /** The message that the end of the input ends. */
  end(): Buffer[] {
    return this.#pendingBytes === 0 ? [] : [this.#finished(Buffer.concat(this.#pieces))];
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pendingBytes += piece.length;
    if (this.#pendingBytes > this.#options.messageBytesMax) this.#refuse();
    const overlap = this.#options.delimiter.length - 1;
    if (overlap > 0) this.#tail = Buffer.concat([this.#tail, piece]).subarray(-overlap);
  }

  #finished(message: Buffer): Buffer {
    this.#messages += 1;
    const drop = this.#options.dropCarriageReturn && message.at(-1) === CARRIAGE_RETURN;
    return drop ? message.subarray(0, -1) : message;
  }

  #refuse(): void {
    this.#problem = new MessageTooLong(this.#messages + 1, this.#options.messageBytesMax);
  }
}

/**
 * The messages of `chunks`, in the groups in which they became whole. Throws {@link MessageTooLong}, after every message
 * before that one has been handed out.
 */
export async function* splitMessages(
  chunks: AsyncIterable<Buffer | string>,
  options: SplitOptions,
): AsyncGenerator<Buffer[], void, undefined> {
  const splitter = new Splitter(options);
  for await (const chunk of chunks) {
    const messages = splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    if (messages.length > 0) yield messages;
    if (splitter.problem !== null) throw splitter.problem;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

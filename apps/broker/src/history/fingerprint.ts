/** Numbers for bytes: equal ones for equal bytes, and nobody finds others that have the same. */
import { createHash } from "node:crypto";

/** Of parts that come one after the other; each is told from the next. */
export class Fingerprint {
  readonly #hash = createHash("sha256");

  add(part: string | Buffer): void {
    this.#hash.update(`${part.length} `).update(part);
  }

  /** In hexadecimal, of all parts; nothing can be added behind. */
  text(): string {
    return this.#hash.digest("hex");
  }
}

/** In hexadecimal. */
export function fingerprint(parts: Iterable<string | Buffer>): string {
  const whole = new Fingerprint();
  for (const part of parts) whole.add(part);
  return whole.text();
}

/** A record as this program shows it: where it lies, and its bytes. */

export interface ShownHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

export interface ShownRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
  /** "append": the leader's time; left out or "create": its producer's. */
  readonly timestampType?: "create" | "append";
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly ShownHeader[];
}

/** A view of the same bytes with Buffer's methods. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

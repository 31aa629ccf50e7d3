/**
 * The batches of a sealed segment one after another, for whoever rewrites it. Has a handle of its own: while it rests
 * between two chunks, others read the segment and may let go of theirs.
 *
 * Invariant: what is returned was checked against its CRC and follows what came before.
 */
import {
  type BatchHeader,
  frameProblem,
  HEADER_BYTES,
  prefixProblem,
  readBatchHeader,
} from "@minikafka/record";
import type { DiskFile } from "../../env/disk.ts";
import type { LogContext } from "../context/log-context.ts";
import { orderProblem } from "../frames/frame-scan.ts";
import { FrameWindow } from "../frames/frame-window.ts";
import type { Segment } from "./segment.ts";
import { damage } from "./segment-reader.ts";

/** A whole frame, as a view of what was read: nothing changes it later. */
export interface SourceFrame {
  readonly frame: Buffer;
  readonly header: BatchHeader;
}

export class SegmentSource {
  readonly #file: DiskFile;
  readonly #window: FrameWindow;
  readonly #end: number;
  readonly #frameBytesMax: number;
  #nextOffset: number;
  #position = 0;

  /** Throws DiskError. */
  constructor(
    { env, frameBytesMax }: LogContext,
    { path, sizeBytes, baseOffset }: Segment,
    chunkBytes: number,
  ) {
    this.#file = env.disk.openFile(path, { readOnly: true });
    this.#window = new FrameWindow(this.#file, { end: sizeBytes, chunkBytes });
    this.#end = sizeBytes;
    this.#frameBytesMax = frameBytesMax;
    this.#nextOffset = baseOffset;
  }

  /** How far it was read, in bytes. */
  get position(): number {
    return this.#position;
  }

  /** The next batch, or `null` behind the last. Throws STORAGE_ERROR with the place of damage, and DiskError. */
  next(): SourceFrame | null {
    if (this.#position >= this.#end) return null;
    const start = this.#window.reach(this.#position, HEADER_BYTES);
    const noFrame = prefixProblem(this.#window.bytes, start, this.#frameBytesMax);
    if (noFrame !== null) throw this.#damage(noFrame);
    const { frameBytes } = readBatchHeader(this.#window.bytes, start);
    const at = this.#window.reach(this.#position, frameBytes);
    const { bytes } = this.#window;
    const header = readBatchHeader(bytes, at);
    const problem = frameProblem(bytes, at, this.#frameBytesMax) ?? orderProblem(header, this.#nextOffset);
    if (problem !== null) throw this.#damage(problem);
    this.#position += frameBytes;
    this.#nextOffset = header.nextOffset;
    return { frame: bytes.subarray(at, at + frameBytes), header };
  }

  close(): void {
    this.#file.close();
  }

  #damage(problem: string) {
    return damage({ file: this.#file }, { position: this.#position, problem }, this.#nextOffset);
  }
}

/**
 * What came to a manual cluster and what it did, from its opening on.
 *
 * Owns the entries, each a line of a trace, and who is in the middle of a request.
 * Invariants: entries stand in the order in which they happened; they and the image of the folder take at most `bytesMax`. What
 * would go beyond that ends the history, and so does a disk that fails: it is known to have ended, and what stands before that stays true.
 * Never: an entry after one that is missing.
 */
import type { DiskError } from "@minikafka/core";
import type { OperationName } from "@minikafka/protocol";
import type { KafkaPeer } from "../kafka/peer.ts";
import type { Refused } from "../request-event.ts";
import type { FolderImage } from "./folder-image.ts";
import { askedLine, type TraceEntry } from "./trace-lines.ts";

/** Requests about the history itself are no part of it. */
export const OPERATIONS_WITHOUT_HISTORY = [
  "read_history",
  "save_snapshot",
  "load_snapshot",
  "list_snapshots",
  "delete_snapshot",
  "diff_snapshots",
] as const satisfies readonly OperationName[];

export function isWithoutHistory(operation: string): boolean {
  return OPERATIONS_WITHOUT_HISTORY.some((each) => each === operation);
}

export class History {
  /** What the folder held; `null` where that was too much, and there is no history. */
  readonly image: FolderImage | null;
  readonly #bytesMax: number;
  readonly #entries: string[] = [];
  readonly #connections = new Set<number>();
  #bytes: number;
  #hasEnded: boolean;
  #failure: DiskError | null = null;

  constructor(image: FolderImage | null, bytesMax: number) {
    this.image = image;
    this.#bytesMax = bytesMax;
    this.#bytes = image?.sizeBytes ?? 0;
    this.#hasEnded = image === null;
  }

  /** Whether more has happened than is kept. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What ended it, where that was the disk. */
  get failure(): DiskError | null {
    return this.#failure;
  }

  /** The disk has failed the cluster, which nobody can make happen once more. */
  end(failure: DiskError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure = failure;
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  get entriesBytes(): number {
    return this.#bytes - (this.image?.sizeBytes ?? 0);
  }

  /** Requests are numbered from 1 in each history. */
  taken(number: number, connection: number, line: Buffer): void {
    this.#connections.add(connection);
    this.#add({ request: { number, connection, ...askedLine(line) } });
  }

  /** The same for a frame of Kafka's. */
  takenFrame(number: number, connection: number, frame: Buffer, { brokerId, clientHost }: KafkaPeer): void {
    this.#connections.add(connection);
    const [broker_id, client_host, frame_b64] = [brokerId, clientHost, frame.toString("base64")];
    this.#add({ kafka_request: { number, connection, broker_id, client_host, frame_b64 } });
  }

  answeredFrame(request: number, frame: Buffer): void {
    this.#add({ kafka_answer: { request, frame_b64: frame.toString("base64") } });
  }

  answered(request: number, line: string): void {
    this.#add({ answer: { request, line } });
  }

  /** `line` is the event's own. */
  happened(line: string): void {
    this.#keep(line.trimEnd());
  }

  refused({ connection, request, brokerId, reason }: Refused): void {
    this.#connections.add(connection);
    const broker = brokerId === undefined ? {} : { broker_id: brokerId };
    this.#add({ refused: { connection, request, ...broker, reason } });
  }

  /** Of a connection that never asked for anything nothing is kept. */
  closed(connection: number): void {
    if (this.#connections.delete(connection)) this.#add({ closed: { connection } });
  }

  #add(entry: TraceEntry): void {
    if (!this.#hasEnded) this.#keep(JSON.stringify(entry));
  }

  #keep(line: string): void {
    if (this.#hasEnded) return;
    this.#bytes += line.length;
    if (this.#bytes > this.#bytesMax) this.#hasEnded = true;
    else this.#entries.push(line);
  }
}

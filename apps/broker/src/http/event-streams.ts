/**
 * Those who read events over HTTP.
 *
 * Owns the open streams, and what an event's id says: which run of the broker, which of the states that it had, which number there.
 * Invariants: there are at most STREAMS_MAX; each is a watch as over any connection, so that whoever is slow is told how much was
 * dropped and nobody waits for him; a reader that comes back is told at once whether he has missed something.
 */
import type { ServerResponse } from "node:http";
import { SystemRandom } from "@minikafka/core";
import { type EventFilter, Watching } from "../connections/watching.ts";
import type { Deadline, Deadlines } from "../deadlines.ts";
import type { EventFeed } from "../event-feed.ts";
import { eventIn } from "../event-text.ts";
import { HttpRefusal } from "./http-answer.ts";

export const STREAMS_MAX = 16;
/** Of what one of them has not read yet. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** Less than what anybody on the way gives a connection on which nothing moves. */
const HEARTBEAT_MS = 15_000;
/** What a browser waits before it comes back. */
const RETRY_MS = 2_000;

/** Says that events were missed between two connections. Not a kind of the cluster's. */
const EVENTS_MISSED = "events_missed";

interface Stream {
  readonly response: ServerResponse;
  readonly watching: Watching;
  heartbeat: Deadline | null;
}

export class EventStreams {
  readonly #realTime: Deadlines;
  readonly #streams = new Set<Stream>();
  readonly #run = new SystemRandom().bytes(4).toString("hex");
  #ended: string | null = null;

  constructor(realTime: Deadlines) {
    this.#realTime = realTime;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** The id of the event with that number. */
  idOf({ era }: Pick<EventFeed, "era">, number: number): string {
    return `${this.#run}-${era}-${number}`;
  }

  /** Throws HttpRefusal. */
  requireRoom(): void {
    if (this.#ended !== null) throw new HttpRefusal("NOT_READY", this.#ended);
    if (this.#streams.size < STREAMS_MAX) return;
    const message = `there are ${STREAMS_MAX} streams of events, and no more are opened`;
    throw new HttpRefusal("TOO_MANY_STREAMS", message, { "retry-after": "5" });
  }

  begin(
    response: ServerResponse,
    feed: EventFeed,
    filter: EventFilter,
    lastEventId: string | undefined,
  ): void {
    const { era } = feed;
    const output = {
      get unsentBytes() {
        return response.writableLength;
      },
      write: (line: string, number: number, kind: string) => {
        if (!response.destroyed) response.write(framed(this.idOf({ era }, number), kind, eventIn(line)));
      },
      flush: () => response.socket?.uncork(),
    };
    const watching = new Watching(output, UNREAD_BYTES_MAX);
    const stream: Stream = { response, watching, heartbeat: null };
    this.#streams.add(stream);
    response.on("drain", () => watching.drained());
    response.on("close", () => this.#forget(stream));
    // An id alone: whoever loses the connection before the first event comes back with it.
    response.write(`retry: ${RETRY_MS}\nid: ${this.idOf(feed, feed.lastNumber)}\n\n`);
    const missed = lastEventId === undefined ? null : this.#missedSince(lastEventId, feed);
    if (missed !== null)
      response.write(
        framed(
          this.idOf(feed, feed.lastNumber),
          EVENTS_MISSED,
          JSON.stringify({ kind: EVENTS_MISSED, ...missed }),
        ),
      );
    watching.begin(feed, filter);
    this.#beat(stream);
  }

  /** Ends all of them; their readers may come back. */
  endAll(why: string): void {
    for (const stream of this.#streams) {
      this.#forget(stream);
      stream.response.end(`: ${why}\n\n`);
    }
  }

  /** The same, and nobody may come any more. */
  close(why: string): void {
    this.#ended = why;
    this.endAll(why);
  }

  /** Nothing is kept that could be told late, but how much it was. `null` where it was nothing. */
  #missedSince(id: string, feed: EventFeed): { since: string; count: number | null } | null {
    const [, run, era, number] = /^([0-9a-f]{8})-(\d{1,9})-(\d{1,15})$/.exec(id) ?? [];
    const isOfNow = run === this.#run && Number(era) === feed.era && Number(number) <= feed.lastNumber;
    const count = isOfNow ? feed.lastNumber - Number(number) : null;
    return count === 0 ? null : { since: id, count };
  }

  #beat(stream: Stream): void {
    stream.heartbeat = this.#realTime.after(HEARTBEAT_MS, () => {
      if (stream.response.writableLength === 0) stream.response.write(":\n\n");
      this.#beat(stream);
    });
  }

  #forget(stream: Stream): void {
    if (!this.#streams.delete(stream)) return;
    stream.heartbeat?.cancel();
    stream.watching.end();
  }
}

/** JSON has no line ends in it. */
function framed(id: string, kind: string, data: string): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${data}\n\n`;
}

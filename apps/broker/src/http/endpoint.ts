/** What an endpoint is given, and what it gives back. */
import type { BrokerContext } from "../broker-context.ts";
import type { EventStreams } from "./event-streams.ts";
import type { HttpAnswer, HttpStream } from "./http-answer.ts";
import type { Counted } from "./metrics/counted.ts";
import type { Unready } from "./readiness.ts";

/** The daemon, as the endpoints see it. */
export interface HttpSite {
  /** Another kernel may take its place. */
  readonly context: BrokerContext;
  readonly streams: EventStreams;
  readonly counted: Counted;
  /** How many clients of the protocols are connected. */
  readonly connections: () => number;
  /** Why the broker is not ready; empty when it is. */
  readonly unready: () => readonly Unready[];
}

export interface HttpRequest {
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly accept: string;
  readonly lastEventId: string | undefined;
}

export interface Endpoint {
  /** The names that its query may have. */
  readonly query: readonly string[];
  /** Looks, and changes nothing. Throws HttpRefusal, or a BrokerError of a kernel that cannot be asked now. */
  serve(request: HttpRequest, site: HttpSite): HttpAnswer | HttpStream;
}

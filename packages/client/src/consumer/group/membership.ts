/**
 * A consumer's membership of its group, one request at a time: joining, heartbeats, leaving. When to ask is for Heartbeats.
 *
 * Owns the latest view that the coordinator gave, and when it last heard of us. Invariants: one request is under way at a
 * time, so that views come in order; what the consumer has is told when nothing of it is to be let go any more; a membership
 * that the coordinator does not know any more is over, and joined anew it is another one.
 *
 *   out → (join) → in → (expired) → out → (join) → in
 */
import { hasCode, isFateUnknown, MiniKafkaError } from "../../errors.ts";
import type { CallOptions, Session } from "../../session.ts";
import { type TopicPartition, topicPartitionKey } from "../../topic-partition.ts";
import type { GroupSettings } from "./group-options.ts";
import { type MemberFields, type MemberView, memberView } from "./member-view.ts";

export interface MembershipListener {
  /** All that the consumer has; `null` while some of it is still to be let go, of which the coordinator is not to hear yet. */
  owned(): readonly TopicPartition[] | null;
  /** All that the consumer had is somebody else's. */
  lost(): void;
  /** There is a new view. */
  told(): void;
  /** An answer came, good or bad. */
  changed(): void;
}

/** How a request ended: "confirmed" in the present generation, or with a look at what has changed. */
export type Beat = "confirmed" | "looked";

export class Membership {
  readonly #session: Session;
  readonly #settings: GroupSettings;
  readonly #listener: MembershipListener;
  readonly #enough = new AbortController();
  #topics: readonly string[] = [];
  #view: MemberView | null = null;
  #incarnation = 0;
  /** When the latest request was sent that the coordinator counts as a sign of life. */
  #heardMs = 0;
  #sessionTimeoutMs = 0;
  #rebalanceTimeoutMs = 0;
  /** Whether the coordinator may know us: a join went out, and did not surely fail. */
  #mayBeKnown = false;
  #told: readonly TopicPartition[] = [];
  #joins = 0;
  #calls: Promise<unknown> = Promise.resolve();

  constructor(session: Session, settings: GroupSettings, listener: MembershipListener) {
    this.#session = session;
    this.#settings = settings;
    this.#listener = listener;
  }

  /** `null` while the consumer is no member. */
  get view(): MemberView | null {
    return this.#view;
  }

  /** Another one for each membership: what was assigned in an older one is lost. */
  get incarnation(): number {
    return this.#incarnation;
  }

  /** As the coordinator said; 0 before. */
  get sessionTimeoutMs(): number {
    return this.#sessionTimeoutMs;
  }

  get rebalanceTimeoutMs(): number {
    return this.#rebalanceTimeoutMs;
  }

  get isJoining(): boolean {
    return this.#joins > 0;
  }

  /** Whether the coordinator heard of us within the session, and so surely counts us as a member. */
  get isFresh(): boolean {
    if (this.#view === null) return false;
    return this.#session.clock.elapsedMs() - this.#heardMs < this.#sessionTimeoutMs;
  }

  /** Whether the coordinator was told exactly what the consumer has now. */
  get isTold(): boolean {
    const owned = this.#listener.owned();
    return owned !== null && samePlaces(this.#told, owned);
  }

  /** Aborted by `stop`, with CLOSED. */
  get enough(): AbortSignal {
    return this.#enough.signal;
  }

  /** What it subscribes to from the next join on. */
  get topics(): readonly string[] {
    return this.#topics;
  }

  set topics(topics: readonly string[]) {
    this.#topics = topics;
  }

  /** Joins, or changes what is subscribed to. */
  join(): Promise<Beat> {
    return this.#serially(() => this.#join());
  }

  /** A heartbeat, or a look at the assignment when its generation is over, or a join when the membership is. */
  beat(): Promise<Beat> {
    return this.#serially(() => this.#beat());
  }

  /** Asks for the present generation and its assignment, and confirms nothing. */
  look(): Promise<Beat> {
    return this.#serially(() => this.#look());
  }

  /** Ends what is under way. From now on it only looks, for a last commit, and leaves. */
  stop(): void {
    // A request may be under way.
    this.#enough.abort(new MiniKafkaError("CLOSED", "the consumer is closed", { details: { sent: true } }));
  }

  async leave(options: CallOptions): Promise<void> {
    if (!this.#mayBeKnown) return;
    this.#mayBeKnown = false;
    await this.#session.call("leave_group", this.#identity(), options);
  }

  async #beat(): Promise<Beat> {
    const view = this.#view;
    if (view === null) return this.#join();
    const owned = this.#listener.owned();
    const sentMs = this.#session.clock.elapsedMs();
    try {
      const fields = {
        ...this.#identity(),
        generation: view.generation,
        ...(owned && { owned: [...owned] }),
      };
      this.#adopt(await this.#session.call("heartbeat", fields, this.#options()), sentMs);
      if (owned !== null) this.#told = owned;
      return "confirmed";
    } catch (error) {
      if (hasCode(error, "ILLEGAL_GENERATION", "NOT_PARTITION_OWNER")) return this.#look();
      return this.#joinAnew(error);
    }
  }

  async #look(): Promise<Beat> {
    if (this.#view === null) return this.#join();
    try {
      // The coordinator does not count it as a sign of life.
      this.#adopt(await this.#session.call("group_assignment", this.#identity(), this.#options()), null);
      return "looked";
    } catch (error) {
      return this.#joinAnew(error);
    }
  }

  /** After the coordinator has forgotten us; any other error is the caller's. */
  async #joinAnew(error: unknown): Promise<Beat> {
    if (!hasCode(error, "UNKNOWN_MEMBER", "UNKNOWN_GROUP") || this.enough.aborted) throw error;
    this.#view = null;
    this.#mayBeKnown = false;
    this.#lose();
    return this.#join();
  }

  #lose(): void {
    this.#incarnation += 1;
    this.#listener.lost();
  }

  async #join(): Promise<Beat> {
    const { assignor, sessionTimeoutMs, rebalanceTimeoutMs } = this.#settings;
    const fields = {
      ...this.#identity(),
      topics: [...this.#topics],
      ...(assignor === undefined ? {} : { assignor }),
      ...(sessionTimeoutMs === undefined ? {} : { session_timeout_ms: sessionTimeoutMs }),
      ...(rebalanceTimeoutMs === undefined ? {} : { rebalance_timeout_ms: rebalanceTimeoutMs }),
    };
    this.enough.throwIfAborted();
    const wasKnown = this.#mayBeKnown;
    this.#mayBeKnown = true;
    this.#joins += 1;
    const sentMs = this.#session.clock.elapsedMs();
    try {
      const answer = await this.#session.call("join_group", fields, { signal: this.enough });
      this.#sessionTimeoutMs = answer.session_timeout_ms;
      this.#rebalanceTimeoutMs = answer.rebalance_timeout_ms;
      this.#adopt(answer, sentMs);
      return "looked";
    } catch (error) {
      if (error instanceof MiniKafkaError && !isFateUnknown(error)) this.#mayBeKnown = wasKnown;
      throw error;
    } finally {
      this.#joins -= 1;
      this.#listener.changed();
    }
  }

  #adopt(answer: MemberFields, heardMs: number | null): void {
    const view = memberView(answer);
    // Expired, and joined again, without hearing of it in between: what it had may be somebody else's.
    if (this.#view !== null && this.#view.memberSince !== view.memberSince) this.#lose();
    this.#view = view;
    this.#listener.told();
    if (heardMs !== null) this.#heardMs = heardMs;
    this.#listener.changed();
  }

  /** Without an answer within half of the session there is time left for another attempt. */
  #options() {
    const timeoutMsMax = Math.max(1, Math.floor(this.#sessionTimeoutMs / 2));
    return this.enough.aborted ? { timeoutMsMax } : { timeoutMsMax, signal: this.enough };
  }

  #identity() {
    return { group_id: this.#settings.groupId, member_id: this.#settings.memberId };
  }

  #serially<T>(call: () => Promise<T>): Promise<T> {
    const done = this.#calls.then(call);
    this.#calls = done.catch(() => {});
    return done;
  }
}

function samePlaces(some: readonly TopicPartition[], others: readonly TopicPartition[]): boolean {
  if (some.length !== others.length) return false;
  const keys = new Set(some.map(topicPartitionKey));
  return others.every((place) => keys.has(topicPartitionKey(place)));
}

/**
 * A consumer's part in its group: as a member that subscribes, or as one that assigns itself and only commits there.
 *
 * Owns which of the two it is, and how the parts hang together: the membership and its heartbeats, the rebalancing that
 * follows them, the commits. It is the gate of what is handed out.
 */
import { shownValue } from "@minikafka/record";
import { asMiniKafkaError, hasCode, MiniKafkaError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { type TopicPartition, topicPartitionKey } from "../../topic-partition.ts";
import { usageError } from "../../usage.ts";
import type { Gate, RecordSupply } from "../record-supply.ts";
import { Commits, isOvertaken } from "./commits.ts";
import { GroupClose } from "./group-close.ts";
import type { GroupSettings } from "./group-options.ts";
import { Heartbeats } from "./heartbeats.ts";
import { Membership } from "./membership.ts";
import type { Committer } from "./offset-commits.ts";
import { Rebalancing } from "./rebalancing.ts";
import type { OffsetSender } from "./transactional-offsets.ts";

export class ConsumerGroup implements Gate {
  readonly commits: Commits;
  readonly #session: Session;
  readonly #settings: GroupSettings;
  readonly #supply: RecordSupply;
  readonly #membership: Membership;
  readonly #heartbeats: Heartbeats;
  readonly #rebalancing: Rebalancing;
  /** Aborted when the close is over, or its time is. */
  readonly #giveUp = new AbortController();
  #mode: "undecided" | "subscribed" | "assigned" = "undecided";
  #closing: GroupClose | null = null;
  /** Of automatic commits, for the next poll. */
  #errors: MiniKafkaError[] = [];

  constructor(session: Session, settings: GroupSettings, supply: RecordSupply) {
    this.#session = session;
    this.#settings = settings;
    this.#supply = supply;
    const changed = () => supply.changed();
    this.#membership = new Membership(session, settings, {
      owned: () => this.#rebalancing.owned,
      lost: () => this.#rebalancing.lose(),
      told: () => this.#rebalancing.loseMadeAnew(),
      changed,
    });
    this.#rebalancing = new Rebalancing(session, settings, this.#membership, supply, {
      commitDone: (cursors) =>
        this.commits.commitRest(cursors).catch((error) => this.#autoCommitFailed(asMiniKafkaError(error))),
      committed: () => this.commits.settled(),
      released: () => this.#heartbeats.hurry(),
    });
    const follow = () => this.#rebalancing.follow();
    this.#heartbeats = new Heartbeats(session, settings, this.#membership, { follow, changed });
    this.commits = new Commits(session, settings, this.#committing());
  }

  get memberId(): string {
    return this.#settings.memberId;
  }

  /** `null` while the consumer is no member. */
  get generation(): number | null {
    return this.#membership.view?.generation ?? null;
  }

  get isOpen(): boolean {
    if (this.#mode !== "subscribed") return true;
    if (this.#rebalancing.isBeginning || this.#heartbeats.refusal !== null) return false;
    return !this.#settings.autoHeartbeat || this.#membership.isFresh;
  }

  /**
   * A heartbeat that had no answer has the connection to itself until one has: an answer full of records that never comes through,
   * and takes the connection with it each time, would take the heartbeats along, and the membership.
   */
  get mayAsk(): boolean {
    return this.#mode !== "subscribed" || !this.#heartbeats.isUnanswered;
  }

  get hasQuick(): boolean {
    return this.#membership.isJoining;
  }

  takeError(): unknown {
    return this.#heartbeats.refusal ?? this.#rebalancing.takeError() ?? this.#errors.shift() ?? null;
  }

  trouble(): MiniKafkaError | null {
    return this.#mode === "subscribed" && !(this.isOpen && this.mayAsk) ? this.#heartbeats.trouble : null;
  }

  /** A topic that is gone goes from the assignment with one of the next heartbeats. */
  willPass(error: MiniKafkaError): boolean {
    if (this.#mode !== "subscribed" || !hasCode(error, "UNKNOWN_TOPIC", "UNKNOWN_PARTITION")) return false;
    this.#heartbeats.hurry();
    return true;
  }

  committed(places: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>> {
    return this.commits.startingPoints(places);
  }

  /** Throws USAGE. Fails with what the coordinator refuses; what may mend itself is tried again until the close. */
  subscribe(topics: string | readonly string[]): Promise<void> {
    if (this.#mode === "assigned")
      throw usageError("the consumer assigns itself partitions; it cannot subscribe as well");
    const unique = topicNames(topics);
    this.#mode = "subscribed";
    this.commits.start();
    const subscribed = this.#heartbeats.subscribe(unique);
    // Polls tell it to a caller who does not wait.
    if (this.#settings.autoHeartbeat) subscribed.catch((error) => this.#refused(error));
    return subscribed;
  }

  /** Before the consumer assigns itself partitions. */
  assigns(): void {
    if (this.#mode === "subscribed")
      throw usageError("the consumer has subscribed; it cannot assign itself partitions as well");
    this.#mode = "assigned";
    this.commits.start();
  }

  async heartbeat(): Promise<void> {
    this.#requireSubscribed("heartbeat");
    await this.#heartbeats.step();
  }

  async refreshAssignment(): Promise<void> {
    this.#requireSubscribed("refreshAssignment");
    await this.#heartbeats.refresh();
  }

  /** All positions, as a part of the transaction that `sender` is of. Throws USAGE for a consumer that commits by itself. */
  async sendPositions(sender: OffsetSender): Promise<void> {
    const { groupId, autoCommit } = this.#settings;
    if (autoCommit)
      throw usageError(
        "autoCommit is true; expected false, since the consumer's offsets are to count only when the transaction commits",
      );
    await this.commits.commitPositions({
      send: (committer, offsets) => sender.send(groupId, committer, offsets),
      retrying: (attempt) => sender.retrying(attempt),
    });
  }

  /** What the consumer is still waiting for until it has all that the group gives it, in words; `null` for nothing. */
  waitsFor(): string | null {
    if (this.#mode === "assigned") return null;
    if (this.#mode === "undecided") return "a subscription or an assignment";
    const { view } = this.#membership;
    const { trouble } = this.#heartbeats;
    const coordinator = trouble && `the coordinator (${trouble.code}: ${trouble.message})`;
    if (view === null) return coordinator ?? "the coordinator's answer";
    if (view.pending.length > 0) {
      const pending = `${view.pending.map(topicPartitionKey).join(", ")}, until other members let go`;
      return coordinator === null ? pending : `${coordinator}, which last had it wait for ${pending}`;
    }
    if (this.#rebalancing.revoking.length > 0)
      return `its own listener and caller, until ${this.#rebalancing.revoking.map(topicPartitionKey).join(", ")} can be let go`;
    return this.#rebalancing.hasFollowed ? null : "its own listener";
  }

  /** Somebody asks for the close; the listener, if it is it, is not waited for. */
  closes(): void {
    this.#rebalancing.closes();
  }

  /**
   * Tells the listener, commits what is done and leaves, within the time. Then fails with what the commit failed with; who
   * could not leave is expired.
   */
  close(timeoutMs: number, leave: boolean): Promise<void> {
    this.commits.stop();
    this.#membership.stop();
    const parts = { membership: this.#membership, rebalancing: this.#rebalancing, commits: this.commits };
    this.#closing = new GroupClose(this.#session, this.#settings, parts, this.#giveUp);
    return this.#closing.run(timeoutMs, leave);
  }

  /** The time for the close is over. */
  hurry(): void {
    this.#closing?.hurry();
  }

  #requireSubscribed(what: string): void {
    if (this.#mode !== "subscribed") throw usageError(`${what} is for a consumer that has subscribed`);
  }

  #committing() {
    const membership = this.#membership;
    const rebalancing = this.#rebalancing;
    return {
      handOuts: this.#supply.handOuts,
      enough: this.#giveUp.signal,
      get held() {
        return rebalancing.held;
      },
      get incarnation() {
        return membership.incarnation;
      },
      committer: () => this.#committer(),
      renewed: (incarnation: number) => this.#renewed(incarnation),
      failed: (error: MiniKafkaError) => this.#autoCommitFailed(error),
    };
  }

  /** Of a member that goes on with its old subscription; any other refusal is kept by the heartbeats. */
  #refused(error: unknown): void {
    if (this.#membership.view === null || this.#supply.isClosed) return;
    this.#errors.push(asMiniKafkaError(error));
    this.#supply.changed();
  }

  #committer(): Committer | null {
    if (this.#mode !== "subscribed") return null;
    const { view } = this.#membership;
    if (view !== null) return { memberId: this.memberId, generation: view.generation };
    throw new MiniKafkaError(
      "UNKNOWN_MEMBER",
      "the consumer is no member of its group now, so nothing was committed",
      {
        details: { groupId: this.#settings.groupId, memberId: this.memberId },
      },
    );
  }

  async #renewed(incarnation: number): Promise<boolean> {
    if (this.#mode !== "subscribed") return false;
    // Who steps looks himself, but at the close it is too late for that.
    if (!this.#settings.autoHeartbeat && !this.#supply.isClosed) return false;
    await this.#membership.look();
    this.#heartbeats.hurry();
    return this.#membership.incarnation === incarnation;
  }

  #autoCommitFailed(error: MiniKafkaError): void {
    if (this.#mode === "subscribed" && isOvertaken(error)) {
      this.#heartbeats.hurry();
      return;
    }
    if (error.retriable) return;
    this.#errors.push(error);
    this.#supply.changed();
  }
}

/** Throws USAGE. */
function topicNames(topics: string | readonly string[]): readonly string[] {
  const names: unknown = typeof topics === "string" ? [topics] : topics;
  if (!Array.isArray(names)) throw usageError(`the topics are ${shownValue(names)}; expected ["orders"]`);
  const stranger = names.find((name) => typeof name !== "string" || name === "");
  if (stranger !== undefined) throw usageError(`a topic is ${shownValue(stranger)}; expected a name`);
  return [...new Set<string>(names)].sort();
}

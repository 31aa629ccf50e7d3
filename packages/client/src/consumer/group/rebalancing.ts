/**
 * Follows what the coordinator says: lets go of what is somebody else's, and begins with what is new.
 *
 * Owns the cursors that are being let go, and the listener's turn. Invariants: a partition of a topic that was made anew is
 * another one than before, and the old one is lost; what is revoked is not handed out from the
 * moment it is seen; it counts as ours until the listener is done, the caller is done with the records in hand (or half of the
 * rebalance timeout is over), and what is done is committed, whoever commits it; one change is followed after the other.
 */
import { traced } from "../../diagnostics.ts";
import type { Session } from "../../session.ts";
import { type TopicPartition, topicPartitionKey } from "../../topic-partition.ts";
import { untilAborted } from "../../waiting.ts";
import { PartitionCursor } from "../partition-cursor.ts";
import type { RecordSupply } from "../record-supply.ts";
import type { GroupSettings, Rebalance } from "./group-options.ts";
import { ListenerTurn } from "./listener-turn.ts";
import type { AssignedPlace } from "./member-view.ts";
import type { Membership } from "./membership.ts";

export interface RebalancingListener {
  /** Commits what the caller is done with of these, as far as that can be; never rejects. */
  commitDone(cursors: readonly PartitionCursor[]): Promise<void>;
  /** Resolves when no commit is under way, a transaction's included; never rejects. */
  committed(): Promise<void>;
  /** The coordinator is to hear of what was let go. */
  released(): void;
}

export class Rebalancing {
  readonly #session: Session;
  readonly #settings: GroupSettings;
  readonly #membership: Membership;
  readonly #supply: RecordSupply;
  readonly #listener: RebalancingListener;
  readonly #turn: ListenerTurn;
  readonly #enough = new AbortController();
  #revoking: readonly PartitionCursor[] = [];
  #lost: readonly TopicPartition[] = [];
  #isBeginning = false;
  #isDue = false;
  #following: Promise<void> | null = null;

  constructor(
    session: Session,
    settings: GroupSettings,
    membership: Membership,
    supply: RecordSupply,
    listener: RebalancingListener,
  ) {
    this.#session = session;
    this.#settings = settings;
    this.#membership = membership;
    this.#supply = supply;
    this.#listener = listener;
    this.#turn = new ListenerTurn(settings.onRebalance);
  }

  /** All that the consumer has: what it reads, and what it is letting go. */
  get held(): readonly PartitionCursor[] {
    return this.#revoking.length === 0
      ? this.#supply.ring.all
      : [...this.#supply.ring.all, ...this.#revoking];
  }

  /** All that it has, once that is no more than it may have. */
  get owned(): readonly TopicPartition[] | null {
    if (this.#revoking.length > 0 || this.#difference().revoked.length > 0) return null;
    return this.#supply.ring.all.map(({ place }) => place);
  }

  get revoking(): readonly TopicPartition[] {
    return this.#revoking.map(({ place }) => place);
  }

  /** Whether the listener is being told of what was assigned, so that it can still move the positions. */
  get isBeginning(): boolean {
    return this.#isBeginning;
  }

  /** Whether what the coordinator says, as far as it is known, is what the consumer has. */
  get hasFollowed(): boolean {
    if (this.#following !== null) return false;
    const { added, revoked } = this.#difference();
    return added.length === 0 && revoked.length === 0;
  }

  takeError(): unknown {
    return this.#turn.takeError();
  }

  /** Never rejects: what the listener throws is for the next poll. Resolves when there is nothing left to follow. */
  follow(): Promise<void> {
    this.#isDue = true;
    this.#following ??= this.#run();
    return this.#following;
  }

  /** The membership is over, and everything with it, at once. */
  lose(): void {
    const lost = this.#supply.ring.all.map(({ place }) => place);
    this.#supply.handOuts.lose(this.held);
    this.#supply.ring.replace([]);
    this.#revoking = [];
    this.#lost = [...this.#lost, ...lost];
  }

  /** What is of a topic that is gone, while another one has its name, is lost at once, whatever is being followed. */
  loseMadeAnew(): void {
    const { view } = this.#membership;
    if (view === null) return;
    const idOf = new Map([...view.assignment, ...view.pending].map(({ topic, topicId }) => [topic, topicId]));
    const isThere = ({ place, topicId }: PartitionCursor) => (idOf.get(place.topic) ?? topicId) === topicId;
    const { ring, handOuts } = this.#supply;
    const gone = ring.all.filter((cursor) => !isThere(cursor));
    if (gone.length === 0) return;
    handOuts.lose(gone);
    ring.replace(ring.all.filter(isThere));
    this.#lost = [...this.#lost, ...gone.map(({ place }) => place)];
  }

  /** Somebody asks for the close. */
  closes(): void {
    this.#turn.awaitsUs();
    this.#enough.abort();
  }

  /** After `close`: the membership was over before it. */
  async loseAtClose(): Promise<void> {
    this.lose();
    await this.#tellLost();
  }

  /** After `closes`: nothing more is followed, and nobody waited for. What is held is told to the listener as revoked. */
  async close(): Promise<void> {
    await this.#following;
    await this.#tellLost();
    const revoked = this.#supply.ring.all.map(({ place }) => place);
    if (revoked.length > 0) await this.#tell({ revoked });
  }

  async #run(): Promise<void> {
    // A rebalance that nobody waits for begins in a turn of its own.
    await null;
    while (this.#isDue && !this.#enough.signal.aborted) {
      this.#isDue = false;
      await this.#followView();
    }
    this.#following = null;
    this.#supply.changed();
  }

  async #followView(): Promise<void> {
    while (!this.#enough.signal.aborted) {
      if (this.#lost.length > 0) {
        await this.#tellLost();
        continue;
      }
      const { added, revoked } = this.#difference();
      if (revoked.length > 0) await this.#letGo(revoked);
      else if (added.length > 0) await this.#begin(added);
      else return;
    }
  }

  #difference(): { added: readonly AssignedPlace[]; revoked: readonly PartitionCursor[] } {
    const { view } = this.#membership;
    if (view === null) return { added: [], revoked: [] };
    const { all } = this.#supply.ring;
    const may = new Set(view.assignment.map(topicPartitionKey));
    const has = new Set(all.map(({ place }) => topicPartitionKey(place)));
    return {
      added: view.assignment.filter((place) => !has.has(topicPartitionKey(place))),
      revoked: all.filter(({ place }) => !may.has(topicPartitionKey(place))),
    };
  }

  async #letGo(cursors: readonly PartitionCursor[]): Promise<void> {
    const { ring, handOuts } = this.#supply;
    const gone = new Set(cursors);
    const places = cursors.map(({ place }) => place);
    const { incarnation } = this.#membership;
    ring.replace(ring.all.filter((cursor) => !gone.has(cursor)));
    this.#revoking = cursors;
    await this.#tell({ revoked: places });
    await this.#untilDone(places);
    // The close commits what is left; lost meanwhile, nothing is left to be committed or let go.
    if (this.#enough.signal.aborted || this.#membership.incarnation !== incarnation) return;
    if (this.#settings.autoCommit) await this.#listener.commitDone(cursors);
    if (this.#membership.incarnation !== incarnation) return;
    handOuts.lose(cursors);
    this.#revoking = [];
    this.#listener.released();
  }

  /** Who steps decides alone when a heartbeat lets go; else the caller has time for the records in hand. */
  async #untilDone(places: readonly TopicPartition[]): Promise<void> {
    const { signal } = this.#enough;
    if (this.#settings.autoHeartbeat) {
      const patienceMs = this.#membership.rebalanceTimeoutMs / 2;
      await this.#supply.handOuts.whenDone(places, this.#session.clock, patienceMs, signal);
    }
    // A commit says that the caller is done before it has its answer. Let go in between and given back by the next generation, the
    // partition would be read from before the commit, which still counts. Of an expired member it is refused: the wait ends.
    await untilAborted(this.#listener.committed(), signal).catch(() => {});
  }

  async #begin(assigned: readonly AssignedPlace[]): Promise<void> {
    const cursors = assigned.map(({ topic, partition, topicId }) => {
      const cursor = new PartitionCursor({ topic, partition }, topicId);
      cursor.lose("committed");
      return cursor;
    });
    const places = cursors.map(({ place }) => place);
    this.#supply.ring.replace([...this.#supply.ring.all, ...cursors]);
    this.#supply.fetcher.begin(cursors);
    this.#isBeginning = true;
    await this.#tell({ assigned: places });
    this.#isBeginning = false;
    this.#supply.changed();
  }

  async #tellLost(): Promise<void> {
    const lost = this.#lost;
    this.#lost = [];
    if (lost.length > 0) await this.#tell({ lost });
  }

  async #tell(change: Partial<Pick<Rebalance, "assigned" | "revoked" | "lost">>): Promise<void> {
    const generation = this.#membership.view?.generation ?? 0;
    const rebalance = { generation, assigned: [], revoked: [], lost: [], ...change };
    const { groupId, memberId } = this.#settings;
    const threw = await traced(
      "minikafka:rebalance",
      () => ({ groupId, memberId, ...rebalance }),
      () => this.#turn.tell(rebalance),
    );
    if (threw) this.#supply.changed();
  }
}

/**
 * The end of a consumer's part in its group: the listener is told, what is done committed, the group left.
 *
 * Owns the close's time. Invariants: nothing of it goes on when it has resolved; what cannot be committed for good is told, after
 * the leaving; a member that the coordinator has forgotten has lost what it had, and commits nothing.
 */
import { asMiniKafkaError, hasCode, MiniKafkaError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { untilAborted } from "../../waiting.ts";
import type { Commits } from "./commits.ts";
import type { GroupSettings } from "./group-options.ts";
import type { Membership } from "./membership.ts";
import type { Rebalancing } from "./rebalancing.ts";

export interface ClosingParts {
  readonly membership: Membership;
  readonly rebalancing: Rebalancing;
  readonly commits: Commits;
}

export class GroupClose {
  readonly #session: Session;
  readonly #settings: GroupSettings;
  readonly #parts: ClosingParts;
  readonly #giveUp: AbortController;
  #isHurried = false;
  /** Ends the wait for the answer. */
  #leaving: AbortController | null = null;

  /** `giveUp` is aborted when the close is over, or its time is: it ends the commits. */
  constructor(session: Session, settings: GroupSettings, parts: ClosingParts, giveUp: AbortController) {
    this.#session = session;
    this.#settings = settings;
    this.#parts = parts;
    this.#giveUp = giveUp;
  }

  async run(timeoutMs: number, leave: boolean): Promise<void> {
    const { clock } = this.#session;
    const deadlineMs = clock.elapsedMs() + timeoutMs;
    const cancel = clock.after(timeoutMs, () => this.#giveUp.abort(timeIsUp(timeoutMs)));
    const told = this.#tell(timeoutMs).then(() => true);
    // A listener that never ends is its writer's to know of.
    const isTold = await untilAborted(told, this.#giveUp.signal).catch(() => false);
    const failure = isTold ? await this.#commit() : null;
    const leftMs = Math.max(1, Math.ceil(deadlineMs - clock.elapsedMs()));
    if (isTold && leave) await this.#leave(leftMs);
    cancel();
    this.#giveUp.abort(timeIsUp(timeoutMs));
    if (failure !== null) throw failure;
  }

  /** The time for it is over before it was. */
  hurry(): void {
    this.#isHurried = true;
    const message = "the consumer was closed, and a signal has ended the time for it";
    this.#giveUp.abort(new MiniKafkaError("TIMEOUT", message, { details: { sent: true } }));
    this.#leaving?.abort();
  }

  /** Asks for it also when the time is over, and waits then for no answer. */
  async #leave(timeoutMs: number): Promise<void> {
    this.#leaving = new AbortController();
    const left = this.#parts.membership.leave({ timeoutMs, signal: this.#leaving.signal });
    if (this.#isHurried) this.#leaving.abort();
    await left.catch(() => {});
  }

  async #tell(timeoutMs: number): Promise<void> {
    const { membership, rebalancing } = this.#parts;
    const { incarnation } = membership;
    if (membership.view !== null && this.#settings.autoHeartbeat && !membership.isFresh) {
      const isMember = await this.#isMember(timeoutMs / 2);
      if (!isMember && membership.incarnation === incarnation) rebalancing.lose();
    }
    await rebalancing.close();
  }

  /** For a member whose session is over by its own clock. */
  async #isMember(timeoutMs: number): Promise<boolean> {
    const enough = new AbortController();
    const cancel = this.#session.clock.after(timeoutMs, () => enough.abort());
    const looked = this.#parts.membership.look().then(() => true);
    const isMember = await untilAborted(looked, enough.signal).catch(() => false);
    cancel();
    return isMember;
  }

  /** What it failed with, `null` for nothing. */
  async #commit(): Promise<MiniKafkaError | null> {
    if (!this.#settings.autoCommit) return null;
    const { commits, membership, rebalancing } = this.#parts;
    try {
      await untilAborted(commits.commitRest(rebalancing.held), this.#giveUp.signal);
      return null;
    } catch (error) {
      const isForgotten = membership.view !== null && hasCode(error, "UNKNOWN_MEMBER", "UNKNOWN_GROUP");
      if (!isForgotten) return uncommitted(asMiniKafkaError(error));
      await untilAborted(rebalancing.loseAtClose(), this.#giveUp.signal).catch(() => {});
      return null;
    }
  }
}

function timeIsUp(timeoutMs: number): MiniKafkaError {
  const message = `the consumer was closed, and the ${timeoutMs} ms for it are over`;
  return new MiniKafkaError("TIMEOUT", message, { details: { sent: true, timeoutMs } });
}

function uncommitted(cause: MiniKafkaError): MiniKafkaError {
  const { code, details, retriable } = cause;
  const message = `the consumer is closed, but what is done could not be committed and comes again: ${cause.message}`;
  return new MiniKafkaError(code, message, { details, retriable, cause });
}

/**
 * When members were heard of, and since when they hold back what they are to let go.
 *
 * Owns: instants of the monotonic clock, in memory alone: what was loaded begins anew, so that no restart expires anybody.
 * Never: the time of day, which somebody may set.
 */
import type { Clock } from "../env/clock.ts";
import type { Expiry } from "./group-events.ts";
import { type Group, type Member, revokingOf } from "./group-state.ts";
import { keyOf } from "./partition-sets.ts";

interface Session {
  heardMs: number;
  /** By partition that is held back. */
  revokingSinceMs: ReadonlyMap<string, number>;
}

export class Sessions {
  readonly #clock: Clock;
  readonly #byGroup = new Map<string, Map<string, Session>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The group is now like this: sessions of new members begin, those of members that are gone end. */
  follow({ groupId, members }: Group): void {
    if (members.size === 0) {
      this.forget(groupId);
      return;
    }
    const before = this.#byGroup.get(groupId);
    const after = new Map<string, Session>();
    for (const [memberId, member] of members)
      after.set(memberId, this.#followed(before?.get(memberId), member));
    this.#byGroup.set(groupId, after);
  }

  forget(groupId: string): void {
    this.#byGroup.delete(groupId);
  }

  /** The member lives. */
  hear(groupId: string, memberId: string): void {
    const session = this.#byGroup.get(groupId)?.get(memberId);
    if (session !== undefined) session.heardMs = this.#clock.monotonicMs();
  }

  /** For how long the member was silent; 0 for one that has no session yet. */
  silenceMs(groupId: string, memberId: string): number {
    const session = this.#byGroup.get(groupId)?.get(memberId);
    return session === undefined ? 0 : Math.max(0, Math.floor(this.#clock.monotonicMs() - session.heardMs));
  }

  /** Who is too late for what, in the order of the members. Kafka: a session is over when its timeout has passed. */
  overdue({ groupId, members }: Group): Expiry[] {
    const sessions = this.#byGroup.get(groupId);
    const nowMs = this.#clock.monotonicMs();
    const overdue: Expiry[] = [];
    for (const { memberId, sessionTimeoutMs, rebalanceTimeoutMs } of members.values()) {
      const session = sessions?.get(memberId);
      if (session === undefined) continue;
      const isHeldBack = [...session.revokingSinceMs.values()].some(
        (sinceMs) => nowMs - sinceMs >= rebalanceTimeoutMs,
      );
      if (nowMs - session.heardMs >= sessionTimeoutMs)
        overdue.push({ memberId, cause: "session_timeout", timeoutMs: sessionTimeoutMs });
      else if (isHeldBack)
        overdue.push({ memberId, cause: "rebalance_timeout", timeoutMs: rebalanceTimeoutMs });
    }
    return overdue;
  }

  /** When each member that is not too late yet will be, and for what, in ms from now on, if nothing is heard of it. */
  leftMs({ groupId, members }: Group): (Omit<Expiry, "timeoutMs"> & { readonly leftMs: number })[] {
    const sessions = this.#byGroup.get(groupId);
    const nowMs = this.#clock.monotonicMs();
    return [...members.values()].flatMap(({ memberId, sessionTimeoutMs, rebalanceTimeoutMs }) => {
      const session = sessions?.get(memberId);
      if (session === undefined) return [];
      const silent = {
        cause: "session_timeout" as const,
        leftMs: session.heardMs + sessionTimeoutMs - nowMs,
      };
      // Of no partition at all it is never.
      const sinceMs = Math.min(...session.revokingSinceMs.values());
      const held = { cause: "rebalance_timeout" as const, leftMs: sinceMs + rebalanceTimeoutMs - nowMs };
      const first = held.leftMs < silent.leftMs ? held : silent;
      return first.leftMs > 0 ? [{ memberId, ...first }] : [];
    });
  }

  #followed(before: Session | undefined, member: Member): Session {
    const nowMs = this.#clock.monotonicMs();
    const since = new Map<string, number>();
    for (const partition of revokingOf(member)) {
      const key = keyOf(partition);
      since.set(key, before?.revokingSinceMs.get(key) ?? nowMs);
    }
    return { heardMs: before?.heardMs ?? nowMs, revokingSinceMs: since };
  }
}

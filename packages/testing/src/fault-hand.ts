/**
 * The hand that a test arms faults with. What a fault has done is known in this process also once the broker has died of it, and is told from
 * there; and a wait for a fault ends with the broker's run, since faults live no longer.
 */
import type { Broker } from "@minikafka/broker";
import { MiniKafkaError, type Session } from "@minikafka/client";

/** The run of a broker, as its faults see it. */
export interface FaultedLife {
  /** One that has crashed, and was not started again since; else `null`. */
  readonly dead: Broker | null;
  /** Aborts at the end of the run, with why it ends. */
  readonly ended: AbortSignal;
  /** Why nobody answers, or will; `null` while somebody does. */
  readonly lost: MiniKafkaError | null;
  /** Calls `act` when that comes to be. Returns how to be forgotten. */
  onLost(act: (why: MiniKafkaError) => void): () => void;
}

/**
 * `session`, but that a broker that has crashed is answered for, or refuses with CRASHED, that no watch outlives a run, and that who asks
 * one that is gone is told why at once.
 */
export function faultHand(session: Session, life: FaultedLife): Session {
  const { clock, random, frameBytesMax, requestTimeoutMs } = session;
  const ends = new WeakMap<AbortSignal, AbortSignal>();
  return {
    clock,
    random,
    frameBytesMax,
    requestTimeoutMs,
    call: async (name, fields, options) => {
      const answer = answerOfDead(name, life);
      if (answer !== null) return answer as never;
      if (life.dead !== null) throw life.ended.reason;
      if (life.lost !== null) throw life.lost;
      const lost = new AbortController();
      const forget = life.onLost((why) => lost.abort(why));
      const signal =
        options?.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal]);
      try {
        return await session.call(name, fields, { ...options, signal });
      } catch (problem) {
        // It may have died over the question.
        const late = answerOfDead(name, life);
        if (late === null) throw problem;
        return late as never;
      } finally {
        forget();
      }
    },
    callOneWay: (name, fields, options) => session.callOneWay(name, fields, options),
    watch: (fields, shape, signal) => {
      const { dead, ended, lost } = life;
      if (dead !== null || lost !== null) throw lost ?? ended.reason;
      // One for all that watch a run: each would leave its listener there until the end.
      if (ends.get(ended) === undefined) ends.set(ended, endOf(life));
      const over = ends.get(ended) as AbortSignal;
      return session.watch(fields, shape, signal === undefined ? over : AbortSignal.any([signal, over]));
    },
    own: (part) => session.own(part),
  };
}

/** Aborts as the run ends, of a crash with what the faults have done until then: after a restart nobody is left to be asked. */
function endOf(life: FaultedLife): AbortSignal {
  const { ended } = life;
  const over = new AbortController();
  const tell = () => {
    const { reason } = ended;
    if (life.dead === null || !(reason instanceof MiniKafkaError)) return over.abort(reason);
    const { rules: faults } = life.dead.listFaults();
    over.abort(new MiniKafkaError(reason.code, reason.message, { details: { ...reason.details, faults } }));
  };
  ended.addEventListener("abort", tell, { once: true });
  return over.signal;
}

/** Nothing is armed any more at what has ended, and of what has died all that was can still be counted; `null` for what nobody can tell in its place. */
function answerOfDead(operation: string, { dead, lost, ended }: FaultedLife): object | null {
  if (operation === "disarm_faults") return ended.aborted || lost !== null ? { disarmed: 0 } : null;
  return operation === "list_faults" && dead !== null ? dead.listFaults() : null;
}

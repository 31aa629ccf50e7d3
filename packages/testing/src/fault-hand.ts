/**
 * The hand that a test arms faults with. What a fault has done is known in this process also once the broker has died of it, and is told from
 * there; and a wait for a fault ends with the broker's run, since faults live no longer.
 */
import type { Broker } from "@minikafka/broker";
import type { Session } from "@minikafka/client";

/** The run of a broker, as its faults see it. */
export interface FaultedLife {
  /** One that has crashed, and was not started again since; else `null`. */
  readonly dead: Broker | null;
  /** Aborts at the end of the run, with why it ends. */
  readonly ended: AbortSignal;
}

/** `session`, but that a broker that has crashed is answered for, or refuses with CRASHED, and that no watch outlives a run. */
export function faultHand(session: Session, life: FaultedLife): Session {
  const { clock, random, frameBytesMax, requestTimeoutMs } = session;
  return {
    clock,
    random,
    frameBytesMax,
    requestTimeoutMs,
    call: async (name, fields, options) => {
      const answer = answerOfDead(name, life);
      if (answer !== null) return answer as never;
      if (life.dead !== null) throw life.ended.reason;
      try {
        return await session.call(name, fields, options);
      } catch (problem) {
        // It may have died over the question.
        const late = answerOfDead(name, life);
        if (late === null) throw problem;
        return late as never;
      }
    },
    callOneWay: (name, fields, options) => session.callOneWay(name, fields, options),
    watch: (fields, shape, signal) => {
      const { dead, ended } = life;
      if (dead !== null) throw ended.reason;
      return session.watch(fields, shape, signal === undefined ? ended : AbortSignal.any([signal, ended]));
    },
    own: (part) => session.own(part),
  };
}

/** Nothing is armed any more at what has died, and all that was can still be counted; `null` for what nobody can tell in its place. */
function answerOfDead(operation: string, { dead }: FaultedLife): object | null {
  if (dead === null) return null;
  if (operation === "list_faults") return dead.listFaults();
  return operation === "disarm_faults" ? { disarmed: 0 } : null;
}

/**
 * A request at which a fault fired: what is done of it, when, and what its client sees.
 *
 * One that is delayed or held takes effect also when its client has gone meanwhile: it has arrived, and no broker takes back what
 * it has read.
 */
import type { ErrorDetails, FaultCode } from "@minikafka/protocol";
import type { BrokerContext } from "../broker-context.ts";
import type { Client } from "../connections/client.ts";
import type { Answer } from "../connections/speech.ts";
import type { RequestRule } from "./request-rule.ts";

export interface FaultyRequest {
  readonly client: Client;
  /** As without the fault. Called at most once. */
  readonly carryOut: () => Answer | Promise<Answer>;
  /** The answer that says so, in the words of its protocol. */
  readonly refuse: (code: FaultCode, message: string, details: ErrorDetails) => Answer;
}

export interface FaultyAnswer {
  readonly answer: Answer | Promise<Answer>;
  /** Resolves when it takes effect; `null`: it has, or never will. */
  readonly begun: Promise<void> | null;
}

/** Throws CrashSignal, where a crash leaves the process alive. */
export function withFault(
  rule: RequestRule,
  { client, carryOut, refuse }: FaultyRequest,
  { delays, crash }: BrokerContext,
): FaultyAnswer {
  // Nothing is armed without what its action needs.
  const { point, action, code = "INTERNAL_ERROR", delay_ms: delayMs = 0 } = rule.order;
  switch (action) {
    case "error":
      return now(refuse(code, `a fault is armed at ${point}: nothing was done`, { fault: point }));
    case "delay":
      return once(delays.wait(delayMs), carryOut);
    case "hold":
      return once(rule.hold(), carryOut);
    case "drop_answer":
      return now(after(carryOut(), () => undefined));
    case "close":
      client.cut(`a fault at ${point}`);
      return now(null);
    case "close_after":
      return now(after(carryOut(), () => client.cut(`a fault at ${point}`)));
    case "crash":
      client.cut(`a fault at ${point}`);
      return crash(point);
  }
}

function now(answer: FaultyAnswer["answer"]): FaultyAnswer {
  return { answer, begun: null };
}

function once(begun: Promise<void>, carryOut: FaultyRequest["carryOut"]): FaultyAnswer {
  return { answer: begun.then(carryOut), begun };
}

/** No answer, and `act` in its place. */
function after(answer: FaultyAnswer["answer"], act: () => void): null | Promise<null> {
  if (answer instanceof Promise)
    return answer.then(() => {
      act();
      return null;
    });
  act();
  return null;
}

/**
 * Bare sessions with a daemon whose clock is manual. Each request is sent when the one before it is answered or, where others have
 * to step first, when the steps are; so the order in which they come is the script's.
 */
import { type Answer, RawSession } from "./raw-session.ts";

export class SteppedSessions {
  readonly #sessions: RawSession[] = [];
  readonly #port: number;
  /** All answers so far. */
  readonly answers: (Answer | null)[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /** Asks in the session of this number, which is opened with the first request. */
  async ask(session: number, operation: string, fields: object = {}): Promise<{ [name: string]: unknown }> {
    const opened = await this.#session(session);
    return this.#noted(await opened.ask({ operation, ...fields }));
  }

  /** Asks for what is acknowledged by others: their rounds are stepped in session 0 before it is awaited. */
  async askStepped(session: number, operation: string, fields: object = {}, rounds = 3) {
    const opened = await this.#session(session);
    opened.send(`${JSON.stringify({ operation, ...fields })}\n`);
    // An answer in another session tells nothing of what this one has sent; one with an id in the same session does.
    await this.#barrier(opened);
    for (let round = 0; round < rounds; round++) await this.ask(0, "replicate_once");
    return this.#noted(await opened.answer());
  }

  /** Sends what waits for more than the script tells, and does not look at the answer. */
  async leaveWaiting(session: number, operation: string, fields: object = {}): Promise<void> {
    const opened = await this.#session(session);
    opened.send(`${JSON.stringify({ operation, ...fields })}\n`);
    await this.#barrier(opened);
  }

  /** Sends what a fault keeps waiting, and `behind` with it; returns once the fault has fired. */
  async leaveBehind(session: number, operation: string, fields: object, behind: readonly object[]) {
    const opened = await this.#session(session);
    // In one write, so that all of it has come when the fault acts at the first.
    const lines = [{ operation, ...fields }, ...behind].map((request) => JSON.stringify(request));
    opened.send(`${lines.join("\n")}\n`);
    for (let hasFired = false; !hasFired; ) hasFired = await this.#hasArmedFaultFired();
  }

  /** Takes down so many answers of a session that were left waiting. */
  async takeAnswers(session: number, count: number): Promise<void> {
    const opened = await this.#session(session);
    for (let n = 0; n < count; n++) this.#noted(await opened.answer());
  }

  /** How often that is asked is not the script's: it changes nothing, and its answers are no part of the run. */
  async #hasArmedFaultFired(): Promise<boolean> {
    const lab = await this.#session(0);
    const { rules } = ((await lab.ask({ operation: "list_faults" })) ?? {}) as {
      rules?: { fired: number }[];
    };
    return rules?.at(-1)?.fired === 1;
  }

  async #barrier(session: RawSession): Promise<void> {
    this.#noted(await session.ask({ operation: "ping", id: "barrier" }));
  }

  async #session(number: number): Promise<RawSession> {
    const opened = this.#sessions[number] ?? (await RawSession.open(this.#port));
    this.#sessions[number] = opened;
    return opened;
  }

  #noted(answer: Answer | null): { [name: string]: unknown } {
    this.answers.push(answer);
    return answer ?? {};
  }
}

/**
 * Whether requests are carried out, in whichever protocol they come.
 *
 * Owns just that. Invariant: it goes one way, from serving over stopping to dead.
 */
export type ServiceState = "serving" | "stopping" | "dead";

export class Service {
  #state: ServiceState = "serving";

  get state(): ServiceState {
    return this.#state;
  }

  /** From now on whoever asks is told that the broker stops, by an answer or, in Kafka's protocol, by the end of the connection. */
  stop(): void {
    if (this.#state === "serving") this.#state = "stopping";
  }

  /** From now on nothing is carried out, nor answered: whoever asks is cut off, as by a process that has died. */
  die(): void {
    this.#state = "dead";
  }
}

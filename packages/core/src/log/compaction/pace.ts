/**
 * Cuts long work into pieces: after so many bytes whoever shares the thread gets a turn. What goes on meanwhile may make the
 * work pointless, which is looked at after each rest.
 */
export class Pace {
  readonly chunkBytes: number;
  readonly #pause: () => Promise<void>;
  readonly #requireGoingOn: () => void;
  #bytes = 0;

  /** `requireGoingOn` throws when the work is to end. */
  constructor(chunkBytes: number, pause: () => Promise<void>, requireGoingOn: () => void) {
    this.chunkBytes = chunkBytes;
    this.#pause = pause;
    this.#requireGoingOn = requireGoingOn;
  }

  /** Tells of bytes that were worked on besides: what was unpacked costs as much as what was read. */
  note(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Tells of bytes that were worked on. Returns whether a rest is due. */
  isDue(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes >= this.chunkBytes;
  }

  async rest(): Promise<void> {
    this.#bytes = 0;
    await this.#pause();
    this.#requireGoingOn();
  }
}

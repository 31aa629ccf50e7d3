/** Where one command runs at a time: it may wait, be typed to, and print when others act. */

/** Lines that are typed, for whoever reads them. */
export class TypedInput implements AsyncIterable<string> {
  readonly #lines: string[] = [];
  #hasEnded = false;
  #wake: () => void = () => undefined;

  type(line: string): void {
    if (line === "^D") this.#hasEnded = true;
    else this.#lines.push(line);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) yield line;
      else if (this.#hasEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

export class Terminal {
  readonly name: string;
  input = new TypedInput();
  isBusy = false;
  /** What its command failed with that is no answer: a mistake of the scenario or of its runner. */
  broken: unknown = null;

  constructor(name: string) {
    this.name = name;
  }

  /** Begins a command. */
  run(act: () => Promise<void>): void {
    if (this.isBusy) throw new Error(`terminal ${this.name} is busy with another command`);
    this.isBusy = true;
    this.input = new TypedInput();
    const done = act();
    done.then(
      () => {
        this.isBusy = false;
      },
      (problem: unknown) => {
        this.isBusy = false;
        this.broken = problem;
      },
    );
  }

  /** Throws what its command is broken with. */
  requireSound(): void {
    if (this.broken !== null) throw this.broken;
  }
}

/** Damage as `log` tells of it: each place as data on stdout, and one error for all at the end. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";

export interface Flaw {
  /** A file's path, or which segment of which partition. */
  readonly where: { readonly file: string } | { readonly segment: number };
  readonly position: number | null;
  readonly problem: string;
}

export class DamageReport {
  readonly #context: Context;
  #count = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  async damage(flaw: Flaw): Promise<void> {
    this.#count += 1;
    await this.#tell("damage", flaw);
  }

  /** What a crash, or an append under way, left at the end: told, and not counted. */
  tail(flaw: Flaw): Promise<void> {
    return this.#tell("unfinished", flaw);
  }

  /** An index that leads astray: told, and not counted, since nothing is lost with it and the broker makes it anew. */
  unusedIndex(file: string, problem: string): Promise<void> {
    return this.#tell("unused_index", {
      where: { file },
      position: null,
      problem: `${problem}; it will be made anew`,
    });
  }

  /** The same for a snapshot of the producers. */
  unusedSnapshot(file: string, problem: string): Promise<void> {
    return this.#tell("unused_snapshot", {
      where: { file },
      position: null,
      problem: `${problem}; older ones and the batches make up for it`,
    });
  }

  /** Throws DAMAGE_FOUND when there was any. */
  requireNone(what: string, hint: string): void {
    if (this.#count === 0) return;
    const places = this.#count === 1 ? "one place" : `${this.#count} places`;
    throw new CliError("DAMAGE_FOUND", `${what} is damaged in ${places}`, {
      details: { places: this.#count },
      hint,
    });
  }

  #tell(
    type: "damage" | "unfinished" | "unused_index" | "unused_snapshot",
    { where, position, problem }: Flaw,
  ): Promise<void> {
    const { settings, data } = this.#context;
    if (settings.json) return data.json({ type, ...where, position, problem });
    const name = "file" in where ? where.file : `segment ${where.segment}`;
    return data.line(
      `${type.replace("_", " ")}: ${name}${position === null ? "" : ` at position ${position}`}: ${problem}`,
    );
  }
}

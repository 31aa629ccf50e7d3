/** Each transaction of a history, as those who asked for it know it. */
import type { Operation } from "../../history/history.ts";

/** `committed` and `aborted` were answered; of the rest nobody knows, or nobody asked. */
export type Fate = "committed" | "aborted" | "open";

export class Transaction {
  readonly name: string;
  begun: Operation<"begin_transaction"> | null = null;
  readonly sends: Operation<"send">[] = [];
  readonly offsets: Operation<"send_offsets">[] = [];
  readonly ends: Operation<"end_transaction">[] = [];
  /** The first committed read of any of its records was answered then. */
  witnessedAt: number | null = null;

  constructor(name: string) {
    this.name = name;
  }

  get fate(): Fate {
    const answered = this.ends.find(({ ended }) => ended?.outcome === "ok");
    if (answered === undefined) return "open";
    return answered.asked.commit ? "committed" : "aborted";
  }

  /** From when on it is certainly committed, as its client was told; `null` when nobody was told so. */
  get committedAt(): number | null {
    return (
      this.ends.find(({ asked, ended }) => asked.commit && ended?.outcome === "ok")?.ended?.order ?? null
    );
  }

  /** From when on somebody may see it; `null`: nobody ever may. */
  get visibleFrom(): number | null {
    if (this.fate === "aborted") return null;
    const asking = this.ends.find(({ asked, ended }) => asked.commit && ended?.outcome !== "failed");
    return asking?.order ?? null;
  }

  /** From when on every committed read has to show it: it was told, or somebody has seen a part of it. */
  get dueFrom(): number | null {
    const { committedAt, witnessedAt } = this;
    if (committedAt === null || witnessedAt === null) return committedAt ?? witnessedAt;
    return Math.min(committedAt, witnessedAt);
  }
}

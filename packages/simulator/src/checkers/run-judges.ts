/** The judges of a run: they look at what each act has touched, and at the history when everything has come together. */
import type { Happening } from "../history/happenings.ts";
import type { Judges } from "../run/judges.ts";
import type { RunWorld } from "../run/world.ts";
import type { Verdict } from "./checker.ts";
import { Judging } from "./judging.ts";

const HARM: ReadonlySet<Happening["kind"]> = new Set(["disk_failed", "folder_lost", "folder_put_back"]);

export class RunJudges implements Judges {
  readonly #judging = new Judging();
  #isListening = false;
  #lastLife = -1;
  #happenings = 0;

  get verdict(): Verdict {
    return this.#judging.verdict;
  }

  afterAct(world: RunWorld): void {
    const { process, witness } = world;
    const { cluster, life } = process;
    if (!this.#isListening) this.#listen(world);
    this.#judging.settled();
    const { happenings } = world.recorder;
    if (happenings.slice(this.#happenings).some(({ kind }) => HARM.has(kind))) this.#judging.harmed();
    this.#happenings = happenings.length;
    if (cluster === null) return;
    // What a new process knows of partitions is looked at before they move.
    if (life !== this.#lastLife && cluster.state === "running") {
      this.#judging.lookAtAll(cluster, life);
      this.#lastLife = life;
    }
    for (const name of witness.touched) {
      const slash = name.lastIndexOf("/");
      const place = { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
      this.#judging.look(cluster, place, life);
    }
    this.#tell(world);
  }

  async atEnd(world: RunWorld): Promise<void> {
    const { cluster, life } = world.process;
    if (cluster === null) this.#judging.judgeHistory(world.recorder);
    else await this.#judging.judge(cluster, world.recorder, life);
    this.#tell(world);
  }

  #listen({ witness, process }: RunWorld): void {
    this.#isListening = true;
    witness.listen((event) => this.#judging.traced(event, process.cluster));
    witness.onAppend({
      asked: (append) => this.#judging.asked(append),
      answered: (append, answer) => this.#judging.answered(append, answer),
      refused: (append, code) => this.#judging.refused(append, code),
    });
    witness.onRefresh((cluster) => this.#judging.refreshed(cluster, process.life));
  }

  #tell({ witness }: RunWorld): void {
    const [first] = this.verdict.violations;
    if (first === undefined) return;
    const { checker: what, problem, evidence } = first;
    witness.violates({ what, evidence: [problem, ...evidence].join("\n  ") });
  }
}

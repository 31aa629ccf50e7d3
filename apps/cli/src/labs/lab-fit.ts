/** Whether a broker that runs already is one on which a lab comes out as it is told; asked before anything is done to it. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { type Session, withSession } from "../session.ts";
import { type LabLine, wordsOf } from "./lab-script.ts";

/** The flags by which a broker can be judged by what it says of itself. */
const COMMON_FLAGS = ["--data", "--clock", "--brokers", "--start-time"];

type Cluster = ParsedResponse<"describe_cluster">;

const LEAVE_OUT = "leave --broker out, and the lab has a broker of its own";

/** With Kafka's mechanisms, which a lab has that names none of the dials. */
const KAFKA_DIALS: Cluster["dials"] = {
  reconciliation: "leader-epoch",
  high_watermark_checkpoint: true,
  ack_rule: "high-watermark",
  replica_lag_max_offsets: null,
  duplicate_window: 5,
  rebalance: "barrier",
};

/**
 * Throws USAGE when the broker was started in another way than the lab's first line says, or the lab would have to end it, and
 * BROKER_NOT_EMPTY when somebody has used it before.
 */
export function requireFit(context: Context, lines: readonly LabLine[]): Promise<undefined> {
  const starts = lines.filter(({ kind }) => kind === "broker");
  // A broker that runs already is not the lab's to end, or to start with other dials.
  if (starts.length !== 1 || lines.some(({ kind }) => kind === "befallen"))
    throw new CliError("USAGE", "this lab ends its broker and starts it again", { hint: LEAVE_OUT });
  const flags = wordsOf(starts[0]?.text ?? "").slice(1);
  const own = flags.find((flag) => flag.startsWith("--") && !COMMON_FLAGS.includes(flag));
  if (own !== undefined)
    throw new CliError("USAGE", `this lab starts its broker with ${own}`, { hint: LEAVE_OUT });
  return withSession(context, async (session) => {
    const cluster = await session.call("describe_cluster", {});
    requireStartedSo(cluster, flags);
    await requireEmpty(session);
    return undefined;
  });
}

/** What stands behind a flag; `null` when the line has none of it. */
function numberBehind(flags: readonly string[], name: string): number | null {
  const at = flags.indexOf(name);
  return at < 0 ? null : Number(flags[at + 1]);
}

function requireStartedSo(cluster: Cluster, flags: readonly string[]): void {
  const brokers = numberBehind(flags, "--brokers") ?? 1;
  const startTime = numberBehind(flags, "--start-time");
  const misfit = misfitOf(cluster, brokers, startTime);
  if (misfit === null) return;
  const time = startTime === null ? "" : ` --start-time ${startTime}`;
  throw new CliError("USAGE", `the lab cannot use this broker: ${misfit}`, {
    hint: `minikafka-broker --data NEW-FOLDER --clock manual --brokers ${brokers}${time} starts one that fits; or ${LEAVE_OUT}`,
  });
}

function misfitOf(cluster: Cluster, brokers: number, startTime: number | null): string | null {
  if (cluster.mode !== "manual") return "its clock goes by itself";
  if (cluster.brokers.length !== brokers)
    return `it hosts ${cluster.brokers.length} ${cluster.brokers.length === 1 ? "broker" : "brokers"}, and the lab is about ${brokers}`;
  const still = cluster.brokers.find(({ state }) => state !== "running");
  if (still !== undefined) return `its broker ${still.broker_id} is ${still.state}`;
  if (startTime !== null && cluster.now_ms !== startTime)
    return `its clock stands at ${cluster.now_ms}, and the lab begins at ${startTime}`;
  const dials = Object.keys(KAFKA_DIALS) as (keyof Cluster["dials"])[];
  const other = dials.find((dial) => cluster.dials[dial] !== KAFKA_DIALS[dial]);
  if (other === undefined) return null;
  return `its dial --${other.replaceAll("_", "-")} is ${cluster.dials[other]}, and Kafka's is ${KAFKA_DIALS[other]}`;
}

async function requireEmpty(session: Session): Promise<void> {
  const { topics } = await session.call("list_topics", {});
  if (topics.length === 0) return;
  const [first] = topics;
  const others = topics.length === 1 ? "" : ` and ${topics.length - 1} more`;
  throw new CliError(
    "BROKER_NOT_EMPTY",
    `a lab needs an empty broker: this one has ${first?.topic}${others}`,
    {
      details: { topics: topics.map(({ topic }) => topic) },
    },
  );
}

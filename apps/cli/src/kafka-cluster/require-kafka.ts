/** That Kafka listens where it is looked for, and what to do where something else does. */
import { CliError } from "../failure.ts";
import { type BrokerAddress, brokerText } from "../input/arguments.ts";
import type { ClusterAddress } from "./cluster-address.ts";
import { type Listener, probe } from "./probe.ts";
import type { Security } from "./security.ts";

const TLS_HINT =
  "--kafka-config FILE names a file with security.protocol=SSL, or SASL_SSL with sasl.mechanism, sasl.username and sasl.password";

/** Of what is no Kafka: what it is, and the advice. */
const FINDINGS: {
  readonly [Found in Exclude<Listener, "kafka">]: readonly [finding: string, hint: string];
} = {
  http: ["is an HTTP server", "Kafka's own port is another one, 9092 by default"],
  json: [
    "is a MiniKafka broker's port for lines of JSON",
    "minikafka-cli describe shows where its port for Kafka's clients is; a broker has one with --kafka-port 9092",
  ],
  tls: ["speaks TLS", TLS_HINT],
  closes: ["ends the connection without an answer", `it may want TLS: ${TLS_HINT}`],
  silent: ["takes the connection and says nothing", `it may want TLS, or be no Kafka: ${TLS_HINT}`],
  other: ["answers with what is not Kafka's protocol", "Kafka's own port is 9092 by default"],
};

interface ProbeOptions {
  readonly security: Security;
  readonly timeoutMs: number;
}

/** One broker of those named is enough. Throws CONNECTION for the first one when there is none. */
export async function requireKafka(
  { brokers }: ClusterAddress,
  { security, timeoutMs }: ProbeOptions,
): Promise<void> {
  // What is encrypted cannot be looked at by a plain question: the client finds out.
  if (security.tls !== undefined) return;
  const failures: CliError[] = [];
  for (const broker of brokers) {
    const failure = await failureAt(broker, timeoutMs);
    if (failure === null) return;
    failures.push(failure);
  }
  const [first] = failures;
  if (first !== undefined) throw first;
}

async function failureAt(broker: BrokerAddress, timeoutMs: number): Promise<CliError | null> {
  const address = brokerText(broker);
  let found: Listener;
  try {
    found = await probe(broker, timeoutMs);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const hint = "is that cluster running, and its name right? Kafka's own port is 9092 by default";
    return new CliError("CONNECTION", `kafka://${address} is not reached: ${code === "" ? message : code}`, {
      hint,
    });
  }
  if (found === "kafka") return null;
  const [finding, hint] = FINDINGS[found];
  return new CliError("CONNECTION", `${address} ${finding}`, { hint, details: { found } });
}

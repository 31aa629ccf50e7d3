/** One page of the broker's HTTP port. Nothing is left open when it is there. */
import { get, type IncomingMessage } from "node:http";
import { CliError } from "../failure.ts";
import { type BrokerAddress, brokerText } from "../input/arguments.ts";

const ELSEWHERE =
  "a broker tells metrics on the port of its --http-port, which is off unless asked for; --http HOST:PORT says where that is";

/** What stands in a refusal of that port. */
interface Refusal {
  readonly code: string;
  readonly message: string;
}

interface PageOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Throws CONNECTION, TIMEOUT, INVALID_ANSWER, the port's own refusal, or the signal's reason. */
export async function httpPage(
  address: BrokerAddress,
  path: string,
  { timeoutMs, signal }: PageOptions,
): Promise<string> {
  const place = brokerText(address);
  const { status, body } = await asked(`http://${place}${path}`, { timeoutMs, signal }).catch(
    (error: NodeJS.ErrnoException) => {
      throw signal.aborted ? signal.reason : unreached(place, error, timeoutMs);
    },
  );
  if (status === 200) return body;
  const said = `${place}${path} is answered with ${status}`;
  throw refusalOf(body) ?? new CliError("INVALID_ANSWER", said, { hint: ELSEWHERE });
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const SILENCE = "SILENCE";

function asked(url: string, { timeoutMs, signal }: PageOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const take = (response: IncomingMessage) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", reject);
    };
    // No agent: its connection ends with the answer.
    const options = { agent: false, signal, timeout: timeoutMs, headers: { accept: "text/plain" } };
    const request = get(url, options, take);
    request.on("error", reject);
    request.on("timeout", () => request.destroy(Object.assign(new Error(), { code: SILENCE })));
  });
}

function refusalOf(body: string): Error | null {
  try {
    const { error } = JSON.parse(body) as { readonly error?: Partial<Refusal> };
    if (typeof error?.code !== "string" || typeof error.message !== "string") return null;
    const refused = new Error(error.message);
    return Object.assign(refused, {
      name: "HttpRefusal",
      code: error.code,
      retriable: error.code === "NOT_READY",
    });
  } catch {
    return null;
  }
}

function unreached(place: string, { code = "", message }: NodeJS.ErrnoException, timeoutMs: number): Error {
  if (code === SILENCE) return new CliError("TIMEOUT", `${place} has not answered within ${timeoutMs} ms`);
  const why = code.startsWith("HPE_") ? "what answers there does not speak HTTP" : message;
  return new CliError("CONNECTION", `no metrics from ${place}: ${why}`, { hint: ELSEWHERE });
}

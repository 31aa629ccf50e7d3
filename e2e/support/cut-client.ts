/** A client behind a proxy of its own: its connection is cut now and then, and gone altogether when it is to vanish. */
import { type Client, connect } from "@minikafka/client";
import { onTestFinished } from "vitest";
import { CuttingProxy } from "./cutting-proxy.ts";
import type { Dice } from "./dice.ts";

/** An instant at which a client vanishes. */
export type CutAt = "before" | "sent" | "at random";

export function drawCutAt(below: Dice): CutAt {
  return (["before", "sent", "at random"] as const)[below(3)] ?? "sent";
}

/** Some turns of this process, so that something is on its way, has arrived, or not. */
export async function someTurns(below: Dice): Promise<void> {
  for (let turns = below(200); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
}

export class CutClient {
  readonly client: Client;
  readonly #proxy: CuttingProxy;
  readonly #port: number;
  #isBack = false;

  static async open(port: number, bytesUntilCut: () => number): Promise<CutClient> {
    const proxy = await CuttingProxy.open(bytesUntilCut);
    proxy.target = port;
    const client = await connect({ port: proxy.port }, { requestTimeoutMs: 5_000, attemptsMax: 100 });
    onTestFinished(() => client.close().catch(() => {}));
    return new CutClient(client, proxy, port);
  }

  private constructor(client: Client, proxy: CuttingProxy, port: number) {
    this.client = client;
    this.#proxy = proxy;
    this.#port = port;
  }

  /** Nothing comes through any more, in neither direction. Too late for one that has come back: nobody would bring it back again. */
  vanish(): void {
    if (this.#isBack) return;
    this.#proxy.target = null;
    this.#proxy.cutAll();
  }

  comeBack(): void {
    this.#isBack = true;
    this.#proxy.target = this.#port;
  }
}

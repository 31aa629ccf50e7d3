/** A proxy that cuts connections after some bytes, in either direction, so that requests and answers are lost half way. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #bytesUntilCut: () => number;
  /** Where connections go; `null` while nobody is there. */
  target: number | null = null;
  cuts = 0;
  /** Without it, what comes goes through whole. */
  isCutting = true;

  /** `bytesUntilCut` is asked for each connection. */
  static async open(bytesUntilCut: () => number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(bytesUntilCut);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    onTestFinished(() => proxy.close());
    return proxy;
  }

  private constructor(bytesUntilCut: () => number) {
    this.#bytesUntilCut = bytesUntilCut;
    this.#server = createServer((client) => this.#serve(client));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection there is. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cutAll();
    this.#server.close();
  }

  #serve(client: Socket): void {
    if (this.target === null) {
      client.destroy();
      return;
    }
    const broker = connect(this.target, "127.0.0.1");
    let left = this.isCutting ? this.#bytesUntilCut() : Number.POSITIVE_INFINITY;
    const end = () => {
      client.destroy();
      broker.destroy();
      this.#sockets.delete(client);
      this.#sockets.delete(broker);
    };
    const pass = (from: Socket, to: Socket) => {
      this.#sockets.add(from);
      from.on("error", end);
      from.on("close", end);
      from.on("data", (bytes: Buffer) => {
        if (bytes.length < left) {
          left -= bytes.length;
          to.write(bytes);
          return;
        }
        // What was let through arrives; the rest never does.
        this.cuts += 1;
        to.end(bytes.subarray(0, left));
        left = 0;
        setImmediate(end);
      });
    };
    pass(client, broker);
    pass(broker, client);
  }
}

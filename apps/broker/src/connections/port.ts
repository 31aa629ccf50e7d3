/** A TCP port that is listened on, while it is. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const KEEP_ALIVE_MS = 60_000;

export type PortSetting = "port" | "kafka_port" | "http_port";

const WHO: { readonly [Setting in PortSetting]: string } = {
  port: "",
  kafka_port: ", for Kafka's clients",
  http_port: ", for HTTP",
};

export interface PortOrder {
  /** The setting that wants it. Default: port. */
  readonly setting?: PortSetting;
}

/** The address cannot be listened on. `code` is the system's: EADDRINUSE, EACCES, EADDRNOTAVAIL … */
export class AddressUnavailable extends Error {
  override readonly name = "AddressUnavailable";
  readonly code: string;
  /** The setting that names it. */
  readonly setting: PortSetting;

  constructor({ host, port, setting = "port" }: Address & PortOrder, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${host}:${port}${WHO[setting]}: ${cause.code ?? cause.message}`, { cause });
    this.code = cause.code ?? "";
    this.setting = setting;
  }
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where a server listens that does. */
export function addressOf(server: Server): Address {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

/** Resolves when `server` listens; port 0 picks a free one. Rejects with {@link AddressUnavailable}. */
export async function listenAt(server: Server, address: Address & PortOrder): Promise<void> {
  try {
    server.listen(address.port, address.host);
    await once(server, "listening");
  } catch (error) {
    throw new AddressUnavailable(address, error as NodeJS.ErrnoException);
  }
}

export interface PortEvents {
  onConnection(socket: Socket): void;
  /** Out of descriptors, for one: the next client is tried again. */
  onProblem(message: string): void;
}

export class Port {
  readonly address: Address;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.address = addressOf(server);
  }

  /** Begins to listen; port 0 picks a free one. Rejects with {@link AddressUnavailable}. */
  static async open(address: Address & PortOrder, events: PortEvents): Promise<Port> {
    const server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      // A peer that is gone without a word is found out, and what it waited for is freed.
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    server.on("connection", (socket) => events.onConnection(socket));
    await listenAt(server, address);
    server.on("error", (error) => events.onProblem(error.message));
    return new Port(server);
  }

  /** Takes nobody new from this call on; who is connected stays. */
  close(): void {
    this.#server.close();
  }
}

/** Where a broker is, in the forms in which callers say it. */
import { shownValue } from "@minikafka/record";
import type { TcpAddress } from "./link/link-factory.ts";
import { checkedInteger, usageError } from "./usage.ts";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 9192;
const PORT_MAX = 65_535;

/** "host:port", "host", ":port", "port", "[::1]:port"; a mere number is a port of this machine. Throws USAGE for anything else. */
export function parseAddress(broker: string): TcpAddress {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d+))?$/.exec(/^\d+$/.test(broker) ? `:${broker}` : broker);
  if (match === null) throw usageError(`the broker is ${shownValue(broker)}; expected host:port`);
  const host = match[1] ?? match[2] ?? "";
  return checkedAddress({ host: host === "" ? DEFAULT_HOST : host, port: Number(match[3] ?? DEFAULT_PORT) });
}

export function checkedAddress(address: TcpAddress): TcpAddress {
  checkedInteger("port", address.port, 1, PORT_MAX);
  return address;
}

/** For messages. */
export function showAddress({ host, port }: TcpAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Where a client connects to: what a caller says of it, checked, since what cannot be meant would end at the wrong broker. */
import { shownValue } from "@minikafka/record";
import { checkedAddress, DEFAULT_HOST, DEFAULT_PORT, parseAddress } from "./address.ts";
import type { LinkFactory, TcpAddress } from "./link/link-factory.ts";
import { requireKnown, usageError } from "./usage.ts";

/** A TCP address (default 127.0.0.1:9192), or a factory of links, such as a daemon's in-process pair. */
export type ConnectTarget =
  | { readonly host?: string | undefined; readonly port?: number | undefined }
  | { readonly broker: string }
  | { readonly link: LinkFactory };

const PLACES: readonly (readonly string[])[] = [["host", "port"], ["broker"], ["link"]];

/** The address, or the factory. Throws USAGE. */
export function checkedTarget(target: ConnectTarget): TcpAddress | LinkFactory {
  if (target === null || typeof target !== "object")
    throw usageError(`the address is ${shownValue(target)}; expected { broker: "host:port" }`);
  requireOnePlace(target);
  if ("link" in target) {
    if (typeof target.link !== "function")
      throw usageError("link is no function; expected one that opens a link");
    return target.link;
  }
  if ("broker" in target) {
    if (typeof target.broker !== "string")
      throw usageError(`broker is ${shownValue(target.broker)}; expected "host:port"`);
    return parseAddress(target.broker);
  }
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = target;
  if (typeof host !== "string")
    throw usageError(`host is ${shownValue(host)}; expected a name or an address`);
  return checkedAddress({ host, port });
}

function requireOnePlace(target: object): void {
  const names = Object.keys(target);
  if (names.includes("brokers"))
    throw usageError('the address has no "brokers": a client speaks to one; expected broker: "host:port"');
  requireKnown("the address", target, PLACES.flat());
  const places = PLACES.filter((place) => place.some((name) => names.includes(name)));
  if (places.length > 1)
    throw usageError(`the address has ${names.join(" and ")}; expected one of broker, host and port, link`);
}

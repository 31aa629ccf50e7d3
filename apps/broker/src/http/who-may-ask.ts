/**
 * Who may ask at all. A page of anybody's in a browser on this machine can send requests to a port of it, and by a name that is made to
 * lead here it could read the answers (DNS rebinding): so a name must be one that is meant for this port, and a page must have come from it.
 */
import { isIP } from "node:net";
import { HttpRefusal } from "./http-answer.ts";

/** Where the request is for: a path with its query, and the host that the target names, in whose place nothing else counts. */
export interface Target {
  readonly path: string;
  readonly host: string | undefined;
}

/** A target may be a whole URL, as proxies are asked (RFC 9112 3.2.2). */
export function targetOf(url: string): Target {
  const [, host, path = ""] = /^http:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return { path: url, host };
  return { path: path.startsWith("/") ? path : `/${path}`, host };
}

/**
 * Two hosts are two readings of one request, of which somebody on the way may have taken the other; none is for HTTP/1.0 (RFC 9112 3.2).
 * Throws HttpRefusal.
 */
export function requireOneHost(rawHeaders: readonly string[], httpVersion: string): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) throw new HttpRefusal("INVALID_REQUEST", `Host: expected once, it is there ${hosts} times`);
  if (hosts === 0 && httpVersion === "1.1")
    throw new HttpRefusal("INVALID_REQUEST", "Host: expected once, it is missing");
}

/** The names by which the port is meant to be asked, beside addresses. */
export interface OwnNames {
  readonly host: string;
  readonly advertise?: string | undefined;
}

interface Head {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly "sec-fetch-site"?: string | string[] | undefined;
}

/** Throws HttpRefusal. */
export function requireAllowed(head: Head, target: Target, names: OwnNames): void {
  requireOwnHost(head.host, names);
  requireOwnHost(target.host, names);
  const { origin } = head;
  const host = target.host ?? head.host;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`)
    throw notFromHere(`the origin ${JSON.stringify(origin)}`);
  const site = head["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw notFromHere(`a page of another origin (${String(site)})`);
}

function notFromHere(who: string): HttpRefusal {
  const expected = "this port answers programs, and pages that come from it";
  return new HttpRefusal("ORIGIN_NOT_ALLOWED", `the request comes from ${who}; ${expected}`);
}

/** An address cannot be made to lead elsewhere. HTTP/1.0 may name none, and no browser speaks that. */
function requireOwnHost(header: string | undefined, { host, advertise }: OwnNames): void {
  if (header === undefined) return;
  const name = nameIn(header);
  if (isIP(name) !== 0) return;
  const own = ["localhost", host, advertise].map((each) => each?.toLowerCase());
  if (own.includes(name)) return;
  throw new HttpRefusal(
    "HOST_NOT_ALLOWED",
    `the host ${JSON.stringify(header)} is not one of this broker's; expected an address, localhost, or what --host or --advertise names`,
  );
}

/** Without port, brackets and the dot at the end. */
function nameIn(header: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header.trim()) ?? [];
  return (bracketed ?? plain ?? "").toLowerCase().replace(/\.$/, "");
}

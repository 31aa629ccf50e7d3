/** Scripts and shapes as lines that a person reads. */
import type { Shape } from "../shape/shape.ts";
import type { Entry } from "./entry.ts";

/** `  120 ms  send client=p0 topic=orders partition=1 keys=[k0] isTombstone=false acks=all` */
export function entryWords({ atMs, kind, luck: _, ...rest }: Entry): string {
  const words = Object.entries(rest).map(([name, value]) => `${name}=${valueWords(value)}`);
  return [`${String(atMs).padStart(6)} ms `, kind, ...words].join(" ");
}

export function shapeWords({
  clients,
  topics,
  laterTopics,
  config,
  weights: _,
  fates: __,
  ...rest
}: Shape): string[] {
  const words = (value: object) =>
    Object.entries(value)
      .map(([name, each]) => `${name}=${valueWords(each)}`)
      .join(" ");
  return [
    words({ ...config, ...rest }),
    ...[...topics, ...laterTopics].map((topic) => `topic ${words(topic)}`),
    ...clients.map((client) => `client ${words(client)}`),
  ];
}

function valueWords(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value).replaceAll('"', "");
}

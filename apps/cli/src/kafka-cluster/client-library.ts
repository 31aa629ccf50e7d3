/** The client of Kafka, loaded by the commands that speak to other clusters and by no other, so that starting costs nothing. */

export type Library = typeof import("@platformatic/kafka");

export function clientLibrary(): Promise<Library> {
  return import("@platformatic/kafka");
}

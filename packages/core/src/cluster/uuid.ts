/** The identity of a cluster, and of a topic beyond its name (KIP-516). */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True for a UUID as the kernel writes it, in lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Which partition of a coordinator's topic holds a key: the same as in Kafka, so that its tools look at the right one. */

/** Java's String.hashCode, over UTF-16 units: what Kafka hashes a group's name with. */
export function javaHashCode(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1)
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}

/** Kafka: `Utils.abs(key.hashCode()) % partitions`, whose abs takes the sign bit away. */
export function partitionOfKey(key: string, partitions: number): number {
  return (javaHashCode(key) & 0x7fffffff) % partitions;
}

/** `meta.properties.json`: written once and last, it makes a folder a cluster's. Kafka: meta.properties. */
import { posix } from "node:path";
import type { Env } from "../env/env.ts";
import { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { fieldsOf, integerOf, mismatch, textOf } from "../log/files/parsed-json.ts";
import { isUuid } from "./uuid.ts";

/**
 * Raised when a program of an older version could no longer read a folder, or would do harm there. 2: producer-ids.json is
 * there, and logs know of replicas. A folder of version 1 is raised when it is opened.
 */
export const FORMAT_VERSION = 2;
export const IDENTITY_FILE_NAME = "meta.properties.json";
const IDENTITY_FILE_VERSION = 1;

export interface Identity {
  readonly formatVersion: number;
  readonly clusterId: string;
}

export function openIdentityFile(folder: string, env: Env): CheckpointFile<Identity> {
  return new CheckpointFile<Identity>({
    disk: env.disk,
    faults: env.faults,
    path: posix.join(folder, IDENTITY_FILE_NAME),
    name: "identity",
    version: IDENTITY_FILE_VERSION,
    parse: parseIdentity,
    format: ({ formatVersion, clusterId }) => ({ format_version: formatVersion, cluster_id: clusterId }),
  });
}

function parseIdentity(payload: unknown): Identity {
  const fields = fieldsOf(payload, "the identity");
  const formatVersion = integerOf(fields.get("format_version"), "format_version", {
    min: 1,
    max: 2 ** 31 - 1,
  });
  const clusterId = textOf(fields.get("cluster_id"), "cluster_id");
  if (!isUuid(clusterId)) throw mismatch(clusterId, "cluster_id", "a UUID");
  return { formatVersion, clusterId };
}

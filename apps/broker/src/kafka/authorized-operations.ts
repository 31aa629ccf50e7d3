/** What clients are allowed to do, a bit for each (Kafka: AclEntry.supportedOperations): there are no ACLs, and so all of it. */

/** Read, write, create, delete, alter, describe, and both of configs. */
export const TOPIC_OPERATIONS = 0xdf8;
/** Create, alter, describe, cluster action, both of configs, idempotent write. */
export const CLUSTER_OPERATIONS = 0x1fa0;
/** Read, delete, describe. */
export const GROUP_OPERATIONS = 0x148;

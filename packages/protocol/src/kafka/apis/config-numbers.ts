/** The numbers by which the APIs of settings name things (Kafka: ConfigResource, ConfigEntry, AlterConfigOp). */

export const RESOURCE_TOPIC = 2;
export const RESOURCE_BROKER = 4;

/** Where a value comes from. */
export const CONFIG_SOURCE = { topic: 1, staticBroker: 4, default: 5 } as const;

/** What kind of value it is. */
export const CONFIG_TYPE = { boolean: 1, string: 2, int: 3, long: 5, double: 6, list: 7 } as const;

/** What IncrementalAlterConfigs does with a value. */
export const CONFIG_OPERATION = { set: 0, delete: 1, append: 2, subtract: 3 } as const;

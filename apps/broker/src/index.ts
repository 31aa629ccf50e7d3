/** The daemon as a library: for tests, experiments and whoever wants a broker in their own process. */

export type { BrokerOptions } from "./broker-options.ts";
export { ConfigProblem, type RawSettings, type Settings } from "./config.ts";
export { AddressUnavailable } from "./connections/port.ts";
export { type Broker, startBroker } from "./daemon.ts";
export { type MeantSetting, settingMeant } from "./settings-meant.ts";

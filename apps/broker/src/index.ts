/** The daemon as a library: for tests, experiments and whoever wants a broker in their own process. */
export { ConfigProblem, type RawSettings, type Settings } from "./config.ts";
export { type Broker, type BrokerOptions, startBroker } from "./daemon.ts";
export { AddressUnavailable } from "./json/listener.ts";

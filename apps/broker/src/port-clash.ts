/** Whether two doors of one daemon want the same port: told before any is opened, since the system would only say that somebody has it. */
import type { Settings } from "./config.ts";
import type { PortSetting } from "./connections/port.ts";
import { portsOfBrokers } from "./kafka/kafka-settings.ts";

type PortSettings = Pick<Settings, PortSetting | "brokers">;

interface Wish {
  readonly setting: PortSetting;
  readonly port: number;
  readonly who: string;
}

/** What is wrong, with both settings named; `null` where each door has a port of its own, or picks a free one. */
export function portClash(settings: PortSettings, hasJsonPort: boolean): string | null {
  const seen = new Map<number, Wish>();
  for (const wish of wishesOf(settings, hasJsonPort)) {
    if (wish.port === 0) continue;
    const other = seen.get(wish.port);
    if (other !== undefined)
      return `${other.setting} and ${wish.setting} both want port ${wish.port}, ${other.who} and ${wish.who}; choose another for one of them`;
    seen.set(wish.port, wish);
  }
  return null;
}

function wishesOf(settings: PortSettings, hasJsonPort: boolean): Wish[] {
  const { port, http_port: http, kafka_port: kafka, brokers } = settings;
  const ofBrokers = kafka === undefined ? [] : portsOfBrokers(settings);
  return [
    ...(hasJsonPort ? [{ setting: "port" as const, port, who: "for lines of JSON" }] : []),
    ...(http === undefined ? [] : [{ setting: "http_port" as const, port: http, who: "for HTTP" }]),
    ...ofBrokers.map((wanted, place): Wish => {
      const whose = brokers === 1 ? "" : ` of broker ${place + 1}`;
      return { setting: "kafka_port", port: wanted, who: `for Kafka's clients${whose}` };
    }),
  ];
}

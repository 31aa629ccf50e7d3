/** The daemon's context, of which another kernel may take possession. */
import type { BrokerContext } from "./broker-context.ts";
import type { Kernel } from "./kernel.ts";

export type Stage = { -readonly [Name in keyof BrokerContext]: BrokerContext[Name] } & Pick<Kernel, "random">;

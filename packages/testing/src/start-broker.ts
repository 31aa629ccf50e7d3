/** The beginning of a test's broker. */
import { planOf, type StartOptions } from "./start-options.ts";
import { TestBroker } from "./test-broker.ts";

/**
 * Starts a broker in this process, on free ports and in memory unless told otherwise. Resolves when clients can connect, its topics are
 * there and its own client is connected. Rejects, by `code`, with INVALID_CONFIG (ConfigProblem; also for a topic that the folder has, and has
 * otherwise), DATA_FOLDER_REFUSED (DataFolderRefused), the system's EADDRINUSE and the like (AddressUnavailable), or a MiniKafkaError of a
 * topic that cannot be; and then leaves nothing behind.
 */
export async function startBroker(options: StartOptions = {}): Promise<TestBroker> {
  return TestBroker.start(planOf(options));
}

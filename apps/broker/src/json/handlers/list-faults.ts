/** list_faults: what can be armed, where faults can be, and what is, with its counts. */
import type { Handler } from "../handler.ts";

export const listFaults: Handler<"list_faults"> = (_request, { faults }) => faults.listing();

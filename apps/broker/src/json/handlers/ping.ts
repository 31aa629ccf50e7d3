/** ping: answers at once. */
import type { Handler } from "../handler.ts";

export const ping: Handler<"ping"> = () => ({});

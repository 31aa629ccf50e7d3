/** unwatch: no event follows. Refuses nothing. */
import type { Handler } from "../handler.ts";

export const unwatch: Handler<"unwatch"> = (_request, _context, { watching }) => {
  watching.end();
  return {};
};

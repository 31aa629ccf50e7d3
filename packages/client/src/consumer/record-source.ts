/** A stream to read records from: `consumer.readable()`. It asks for a record when its reader does, and for none ahead of that. */

/** Reads what `iterate` hands out until its signal aborts, which it does when the stream is cancelled. */
export function recordSource<Item>(
  iterate: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>,
  signal: AbortSignal | undefined,
): ReadableStream<Item> {
  const cancelled = new AbortController();
  const over = signal === undefined ? cancelled.signal : AbortSignal.any([cancelled.signal, signal]);
  const items = iterate(over);
  // The global one, which Node loads when it is asked for: an import would make every start pay for it.
  return new ReadableStream<Item>(
    {
      async pull(controller) {
        const { done, value } = await items.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        cancelled.abort(reason);
        // A read under way has failed with the reason, which its reader is told.
        await items.return().catch(() => {});
      },
    },
    // A record that was asked for ahead would count as the one in hand, and the one before it as done.
    { highWaterMark: 0 },
  );
}

/** What becomes of requests, which a watch shows where that is asked for: kind, meaning, and the facts beside what the request is about. */
export const REQUEST_EVENTS = {
  request_taken: [
    "A request is taken; what it causes follows. `request` counts them since the broker started (a snapshot that is loaded brings its own count); `operation` is that of a request of Kafka's protocol with `kafka.` before it, and `null` where it is none that can be carried out.",
    "request connection operation:text? id:id?",
  ],
  request_done: [
    "A request came to its end: `ok`, or the code of its error (in Kafka's protocol by Kafka's name, of the answer as a whole), also where nobody is told (`answered` is false); `null` where it was cut off and not carried out.",
    "request connection operation:text? id:id? outcome:text? answered:flag",
  ],
  request_refused: [
    "What a connection sent cannot be read, and the connection ends: `reason` says what was wrong. `request` is its number where it was counted (a whole frame of Kafka's protocol), else `null`. It is shown without `requests` as well, and never of chosen topics.",
    "request? connection reason:text",
  ],
} as const satisfies { readonly [kind: string]: readonly [meaning: string, facts: string] };

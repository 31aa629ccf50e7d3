/** The shape of an operation: one object drives dispatch, the SDK's typed calls, the CLI's raw mode and the reference. */
import { z } from "zod";

/** What a client may put in `id`; the answer echoes it. */
export const requestId = z.union([z.string().max(256), z.int()]);
export type RequestId = z.output<typeof requestId>;

type Fields = z.core.$ZodLooseShape;

export interface Operation<
  Name extends string = string,
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  /** One sentence for the reference. */
  readonly summary: string;
  /** The whole request line: `operation`, `id` and the fields. Unknown fields are refused, so that no typing error goes unseen. */
  readonly request: Request;
  /** The answer's fields beside `ok` and `id`. Fields of a newer broker are ignored. */
  readonly response: Response;
}

interface Definition<Name extends string, Request extends Fields, Response extends z.ZodType> {
  readonly name: Name;
  readonly summary: string;
  readonly request: () => Request;
  readonly response: () => Response;
}

/** The envelope that every request line has around its fields. */
function requestLine<Name extends string, Request extends Fields>(name: Name, fields: Request) {
  return z.strictObject({ operation: z.literal(name), id: requestId.optional(), ...fields });
}

/** Its schemas are made when they are first asked for: a program takes part in few of the operations, and to make all of them takes long. */
export function operation<Name extends string, Request extends Fields, Response extends z.ZodType>({
  name,
  summary,
  ...fields
}: Definition<Name, Request, Response>): Operation<
  Name,
  ReturnType<typeof requestLine<Name, Request>>,
  Response
> {
  let request: ReturnType<typeof requestLine<Name, Request>> | undefined;
  let response: Response | undefined;
  return {
    name,
    summary,
    get request() {
      request ??= requestLine(name, fields.request());
      return request;
    },
    get response() {
      response ??= fields.response();
      return response;
    },
  };
}

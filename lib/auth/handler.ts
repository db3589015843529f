import { AppError } from "@/lib/wire/errors";

/** A handler as Next calls it. */
export type RouteHandler<P> = (request: Request, context?: { params: Promise<P> }) => Promise<Response>;

/** Context of a handler: the sender from its guard, the request and the path parameters. */
export type HandlerContext<S, P> = S & { request: Request; requestId: string; params: P };

/** PostgreSQL cannot store this character in text, and people do not type it. */
export const NUL = "\0";

/** The path parameters. Throws not_found for a value that contains a NUL character. */
export async function paramsOf<P>(context: { params: Promise<P> } | undefined): Promise<P> {
  // Next passes none if the path has no parameters.
  const params = (await context?.params) ?? ({} as P);
  if (Object.values(params as object).some((part) => String(part).includes(NUL)))
    throw new AppError("not_found");
  return params;
}

import { AppError } from "@/lib/wire/errors";

/** A handler beside pages as Next calls it. */
export type Handler<P> = (request: Request, context?: { params: Promise<P> }) => Promise<Response>;

/** What a handler works with: the sender as its guard found them, the request and the parts of its address. */
export type Call<S, P> = S & { request: Request; requestId: string; params: P };

/** What the database cannot store as text, and nobody types. */
export const NUL = "\0";

/** The parts of the address that stand in brackets in the tree. Throws not_found where one can be no name of anything. */
export async function paramsOf<P>(context: { params: Promise<P> } | undefined): Promise<P> {
  // Next gives none where the address has no such parts.
  const params = (await context?.params) ?? ({} as P);
  if (Object.values(params as object).some((part) => String(part).includes(NUL)))
    throw new AppError("not_found");
  return params;
}

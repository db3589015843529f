/** A handler beside pages as Next calls it. */
export type Handler<P> = (request: Request, context?: { params: Promise<P> }) => Promise<Response>;

/** What a handler works with: the sender as its guard found them, the request and the parts of its address. */
export type Call<S, P> = S & { request: Request; requestId: string; params: P };

/** The parts of the address that stand in brackets in the tree. */
export async function paramsOf<P>(context: { params: Promise<P> } | undefined): Promise<P> {
  // Only a handler whose address has no such parts is called without them.
  return context ? context.params : ({} as P);
}

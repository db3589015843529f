import { answerBrowser } from "./browser-answer";
import type { AuthorizedSender, RequestGuard } from "./guards";
import { type HandlerContext, paramsOf, type RouteHandler } from "./handler";

/** Wraps handlers that return documents to a browser: a file, a stream, a rendered mail. */
export function documentRoute<S extends AuthorizedSender, P = Record<string, never>>(document: {
  /** Name of the document in the log. */
  name: string;
  guard: RequestGuard<S>;
  make: (call: HandlerContext<S, P>) => Promise<Response>;
}): RouteHandler<P> {
  return (request, context) =>
    answerBrowser(request, document.name, async (requestId) => {
      const sender = await document.guard({ request, requestId, page: undefined, action: document.name });
      const response = await document.make({
        ...sender,
        request,
        requestId,
        params: await paramsOf(context),
      });
      return request.method === "HEAD" ? withoutBody(response) : response;
    });
}

/** The response without its body, for HEAD. Cancels the body, because an unread download would block the next one. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

/** HTML that was rendered elsewhere, such as a mail. */
export function htmlDocument(html: string): Response {
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

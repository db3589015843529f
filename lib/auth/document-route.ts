import { answerBrowser } from "./browser-answer";
import type { Guard, Sender } from "./guards";
import { type Call, type Handler, paramsOf } from "./handler";

/** The wrapper of what a browser gets beside pages: a file, a stream, a mail with its looks. */
export function documentRoute<S extends Sender, P = Record<string, never>>(document: {
  /** In the log. */
  name: string;
  guard: Guard<S>;
  make: (call: Call<S, P>) => Promise<Response>;
}): Handler<P> {
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

/** The head of an answer. A body that nobody reads would hold on to its place until it is given up. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

/** A page written elsewhere, such as a mail. */
export function htmlDocument(html: string): Response {
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

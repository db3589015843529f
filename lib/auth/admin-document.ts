import { adminSessionActor } from "@/lib/api/request-actor";
import { adminPaths } from "@/lib/paths";
import type { Actor } from "@/lib/runtime/audit";
import { adminToken, findAdminSession } from "./admin-session";
import { answerBrowser, seeOther } from "./form-route";

/**
 * A file of the administrator's area that is no page: a rendered mail or a table as CSV (decision 101). Signed-in only.
 */
export function adminDocument<P>(
  name: string,
  make: (params: P, actor: Actor) => Promise<Response>,
): (request: Request, context: { params: Promise<P> }) => Promise<Response> {
  return (request, context) =>
    answerBrowser(
      request,
      async (requestId) => {
        const session = await findAdminSession(adminToken(request.headers));
        if (!session) return seeOther(adminPaths.signIn({ reason: "ended" }));
        return make(await context.params, adminSessionActor(request, session.sessionId, requestId));
      },
      name,
    );
}

/** An HTML document that was rendered elsewhere, such as a mail. */
export function htmlDocument(html: string): Response {
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

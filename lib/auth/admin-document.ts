import { adminPaths } from "../admin/paths";
import { clientAddress } from "../api/client-address";
import { requestIdOf } from "../api/request-id";
import type { Actor } from "../audit";
import { AppError } from "../errors";
import { errorFacts, log } from "../log";
import { plain, seeOther } from "./admin-form";
import { adminToken, findAdminSession } from "./admin-session";

/** A file of the administrator's area that is no page: a mail with its looks, a table as CSV. Signed-in only. */
export function adminDocument<P>(
  name: string,
  make: (params: P, actor: Actor) => Promise<Response>,
): (request: Request, context: { params: Promise<P> }) => Promise<Response> {
  return async (request, context) => {
    try {
      const session = await findAdminSession(adminToken(request.headers));
      if (!session) return seeOther(adminPaths.signIn({ reason: "ended" }));
      const response = await make(await context.params, {
        kind: "admin-session",
        sessionId: session.sessionId,
        address: clientAddress(request.headers),
        requestId: requestIdOf(request.headers),
      });
      response.headers.set("Cache-Control", "no-store");
      return response;
    } catch (error) {
      if (error instanceof AppError) return plain(error.status, error.detail);
      log("error", "a document of the administrator failed", { action: name, error: errorFacts(error) });
      return plain(500, "Something went wrong on our side. It has been recorded.");
    }
  };
}

/** A page written elsewhere, such as a mail. */
export function htmlDocument(html: string): Response {
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

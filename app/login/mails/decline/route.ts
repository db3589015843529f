import { db } from "@/db/client";
import { clientAddress } from "@/lib/api/client-address";
import { answerBrowser, readForm, redirectWithGet } from "@/lib/auth/browser-answer";
import type { RouteHandler } from "@/lib/auth/handler";
import { unsubscribe } from "@/lib/outbound/mail/unsubscribe";
import { paths } from "@/lib/paths";

const tokenOf = (request: Request) => new URL(request.url).searchParams.get("token") ?? "";

/** GET /login/mails/decline: for mail programs without one-click unsubscribe, a redirect to the page with the button. */
export const GET: RouteHandler<unknown> = (request) =>
  answerBrowser(request, "login.decline", async () => redirectWithGet(paths.unsubscribe(tokenOf(request))));

/**
 * POST /login/mails/decline: unsubscribes from a kind of mail. Mail programs send it from any origin (RFC 8058), so only
 * the token from the mail authorises it.
 */
export const POST: RouteHandler<unknown> = (request) =>
  answerBrowser(request, "login.decline", async (requestId) => {
    const sent = await readForm(request);
    const token = sent.token ?? tokenOf(request);
    const address = clientAddress(request.headers);
    const declined = await unsubscribe(db(), token, { address, requestId });
    // A one-click request comes from a mail program, which follows no redirect.
    if (sent["List-Unsubscribe"] === "One-Click")
      return declined === null
        ? new Response("This link is incomplete.\n", { status: 404 })
        : new Response("You get no more mails of this kind.\n");
    return redirectWithGet(declined === null ? paths.unsubscribe("") : paths.unsubscribed());
  });

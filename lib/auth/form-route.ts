import { requestIdOf } from "../api/request-id";
import { AppError } from "../errors";
import { errorFacts, log } from "../log";
import { paths } from "../paths";
import { isDatabaseUnavailable } from "../unavailable";
import { findSubscriber, type Subscriber } from "./find-subscriber";
import { isOwnForm } from "./same-origin";
import { cookiesOf } from "./session-cookie";

type Handler = (request: Request, requestId: string) => Promise<Response>;

/**
 * The only wrapper of the handlers beside pages: it names the request, refuses what another site sent, and turns what
 * is thrown into an answer. A thrown Response is the answer itself: guards end a request with it.
 */
export function formRoute(handler: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const requestId = requestIdOf(request.headers);
    let response: Response;
    try {
      if (request.method !== "GET" && !isOwnForm(request))
        throw plain(403, "This form was sent by another site.");
      response = await handler(request, requestId);
    } catch (error) {
      response = error instanceof Response ? error : answerToError(error, requestId);
    }
    response.headers.set("X-Request-Id", requestId);
    if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
    return response;
  };
}

/** The subscriber behind a request, or the end of it: whoever is not one is sent to where he can become one. */
export async function requireSubscriberOf(request: Request): Promise<Subscriber> {
  const found = await findSubscriber(cookiesOf(request.headers));
  if (found.kind === "subscriber") return found.subscriber;
  throw seeOther(found.kind === "no-access" ? paths.chooseSubscription() : paths.login());
}

/** Sends the browser on with GET. The address is of this site, without a host: none of the request is believed. */
export function seeOther(path: string, cookies: string[] = []): Response {
  const headers = new Headers({ Location: path });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** The fields of a form as text; files and repeated names are not among them. */
export async function readForm(request: Request): Promise<Record<string, string>> {
  const length = Number(request.headers.get("content-length") ?? "0");
  if (length > 16_384) throw plain(413, "This form is too long.");
  const fields: Record<string, string> = {};
  for (const [name, value] of (await request.formData().catch(() => new FormData())).entries()) {
    if (typeof value === "string") fields[name] = value.slice(0, 2_000);
  }
  return fields;
}

function answerToError(error: unknown, requestId: string): Response {
  if (error instanceof AppError) return plain(error.status, error.detail);
  if (isDatabaseUnavailable(error))
    return plain(503, "The service cannot answer just now. Try again shortly.");
  log("error", "a form failed", { requestId, error: errorFacts(error) });
  return plain(500, `Something went wrong on our side. It has been recorded as ${requestId}.`);
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}

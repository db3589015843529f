import { readText } from "@/lib/api/body";
import { requestIdOf } from "@/lib/api/request-id";
import { paths } from "@/lib/paths";
import { errorFacts, log } from "@/lib/runtime/log";
import { countCode } from "@/lib/runtime/metrics";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { AppError } from "@/lib/wire/errors";
import { findSubscriber, type Subscriber } from "./find-subscriber";
import { isOwnForm } from "./same-origin";
import { cookiesOf } from "./session-cookie";

/** The wrapper of the handlers beside pages; forms must come from a page of this site. */
export function formRoute(
  handler: (request: Request, requestId: string) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return (request) =>
    answerBrowser(request, async (requestId) => {
      if (request.method !== "GET") requireOwnForm(request);
      return handler(request, requestId);
    });
}

/**
 * Wraps a handler beside pages: makes the request id and turns a thrown error into an answer. A thrown Response is the
 * answer itself; guards end a request with it. `action` names the form in the log.
 */
export async function answerBrowser(
  request: Request,
  handle: (requestId: string) => Promise<Response>,
  action?: string,
): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  let response: Response;
  try {
    response = await handle(requestId);
  } catch (error) {
    response = error instanceof Response ? error : answerToError(error, requestId, action);
  }
  response.headers.set("X-Request-Id", requestId);
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
  return response;
}

/** Ends the request unless a page of this site sent the form. */
export function requireOwnForm(request: Request): void {
  if (isOwnForm(request)) return;
  countCode("foreign_form");
  log("warn", "a form of another site was refused");
  throw plainText(403, "This form was not sent by a page of this site. Nothing was changed.");
}

/** The subscriber of a request. Without a signed-in subscriber it ends the request with a redirect to the sign-in. */
export async function requireSubscriberOf(request: Request): Promise<Subscriber> {
  const found = await findSubscriber(cookiesOf(request.headers));
  if (found.kind === "subscriber") return found.subscriber;
  throw seeOther(found.kind === "no-access" ? paths.chooseSubscription() : paths.login());
}

/**
 * Sends the browser on with GET. The address has no host, so that no header of the request decides where the browser
 * goes.
 */
export function seeOther(path: string, cookies: string[] = []): Response {
  const headers = new Headers({ Location: path });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** The fields of a form as text; of repeated names the last one. Throws body_too_large. */
export async function readForm(request: Request): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(request)));
}

function answerToError(error: unknown, requestId: string, action?: string): Response {
  if (error instanceof AppError) return plainText(error.status, error.detail);
  if (isDatabaseUnavailable(error)) return plainText(503, new AppError("unavailable").detail);
  log("error", "a form failed", { requestId, action, error: errorFacts(error) });
  return plainText(500, `Something went wrong on our side. It has been recorded as ${requestId}.`);
}

function plainText(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}

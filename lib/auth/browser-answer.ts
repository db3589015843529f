import { readBytes, readText } from "@/lib/api/request-body";
import { requestIdOf } from "@/lib/api/request-id";
import { errorFacts, log } from "@/lib/runtime/log";
import { recordErrorCode } from "@/lib/runtime/metrics";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { AppError, databaseUnavailableError } from "@/lib/wire/errors";
import { isSameOriginForm } from "./same-origin";

/**
 * Runs a handler whose response a browser shows and that is not a page, such as a form. Assigns the request id and turns
 * thrown errors into responses. A guard ends the request by throwing a Response. `action` names the form in the log.
 */
export async function answerBrowser(
  request: Request,
  action: string,
  handle: (requestId: string) => Promise<Response>,
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

/** Throws a 403 response unless a page of this site sent the form. */
export function requireSameOriginForm(request: Request): void {
  if (isSameOriginForm(request)) return;
  recordErrorCode("foreign_form");
  log("warn", "refused a form of another site");
  throw plainText(403, "This form was not sent by a page of this site. Nothing was changed.");
}

/** The 403 for a form that an administrator sends from a read-only view of a subscriber's portal. */
export function readOnlyViewResponse(): Response {
  return plainText(
    403,
    "This is a read-only view of a subscriber's portal. Nothing was changed. To end the view, go back and press “End the view” above the page.",
  );
}

/** The 409 for a form whose page showed another subscription or key than the session has now. */
export function wrongSubscriptionResponse(): Response {
  return plainText(
    409,
    "This form belongs to another account or key than the one you now use, maybe because of another tab. Nothing was changed. Go back and reload the page.",
  );
}

/**
 * Redirects with GET (303). Pass a path of this site without a host, because the Host header is not trusted. The only
 * other address is the identity provider's, which comes from its own document.
 */
export function redirectWithGet(path: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ Location: path });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** Default size limit of a multipart form. Forms with a file or a long text are sent as multipart. */
const MAX_MULTIPART_BYTES = 160 * 1024;
/** Prefix of an uploaded file among the form's fields; its bytes follow in base64. */
export const UPLOADED_FILE_PREFIX = "data:application/octet-stream;base64,";

/**
 * The fields of a form as text; of repeated names the last one. `maxBytes` limits a multipart form. Throws
 * body_too_large, and bad_request for a multipart body that cannot be read.
 */
export async function readForm(
  request: Request,
  maxBytes = MAX_MULTIPART_BYTES,
): Promise<Record<string, string>> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data"))
    return Object.fromEntries(new URLSearchParams(await readText(request)));
  const bytes = await readBytes(request, maxBytes);
  const form = await new Response(Uint8Array.from(bytes), { headers: { "Content-Type": type } })
    .formData()
    .catch(() => {
      throw new AppError("bad_request");
    });
  const fields: Record<string, string> = {};
  // Browsers send the lines of a text field with CR LF.
  for (const [name, value] of form.entries())
    fields[name] =
      typeof value === "string"
        ? value.replaceAll("\r\n", "\n")
        : UPLOADED_FILE_PREFIX + Buffer.from(await value.arrayBuffer()).toString("base64");
  return fields;
}

function answerToError(error: unknown, requestId: string, action: string): Response {
  if (error instanceof AppError) return plainText(error.status, error.detail, error.headers);
  if (isDatabaseUnavailable(error)) return answerToError(databaseUnavailableError(), requestId, action);
  log("error", "a form failed", { requestId, action, error: errorFacts(error) });
  return plainText(500, `Something went wrong on our side. It has been recorded as ${requestId}.`);
}

function plainText(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" },
  });
}

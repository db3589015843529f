import { type Answer, jsonAnswer } from "./answer";

/** Caching of answers that carry a strong entity tag. */
export const PRIVATE_REVALIDATE = "private, no-cache";

/** Answers 304 when the client already holds exactly this body, else the body with its tag. */
export function conditionalAnswer(
  request: Request,
  content: { body: string; etag: string },
  cacheControl: string,
): Answer {
  const headers = { ETag: content.etag, "Cache-Control": cacheControl };
  if (matches(request.headers.get("if-none-match"), content.etag))
    return { status: 304, headers, body: null };
  return jsonAnswer(content.body, { headers });
}

/** If-None-Match compares weakly: a `W/` that a proxy added does not matter. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

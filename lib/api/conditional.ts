import { createHash } from "node:crypto";
import type { z } from "zod";
import { type Answer, jsonAnswer, serialiseBody } from "./answer";

/**
 * Cache-Control of private answers with an entity tag: only the client may store them, and must revalidate them each
 * time.
 */
export const CACHE_CONTROL_PRIVATE = "private, no-cache";
/** Cache-Control of public answers with an entity tag: shared caches may use them for half a minute. */
export const CACHE_CONTROL_PUBLIC = "public, max-age=30";

/** A body and its entity tag. The body is in bytes, because it is serialised once and sent many times. */
export interface BodyWithEtag {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  /** Headers that are sent with the body and not with a 304, such as the body's signature. */
  headers?: Record<string, string>;
}

/** Serialises a body and adds its strong entity tag. */
export function serialiseWithEtag<S extends z.ZodType>(schema: S, value: z.output<S>): BodyWithEtag {
  return withEtag(serialiseBody(schema, value));
}

/** Adds the strong entity tag to a serialised body. */
export function withEtag(text: string): BodyWithEtag {
  // A Buffer, because Node copies any other bytes on each write.
  const body = Buffer.from(text);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"` };
}

/**
 * Serialises `value`, with a weak entity tag that is computed from `counts` alone: the part of the value whose change
 * matters.
 */
export function serialiseWithWeakEtag<S extends z.ZodType>(
  schema: S,
  value: z.output<S>,
  counts: unknown,
): BodyWithEtag {
  const { body } = serialiseWithEtag(schema, value);
  return { body, etag: `W/${withEtag(JSON.stringify(counts)).etag}` };
}

/**
 * Answers 304 if a tag in If-None-Match is that of the body, else the body with its tag. `more` are further headers of
 * either answer.
 */
export function conditionalAnswer(
  request: Request,
  content: BodyWithEtag,
  cacheControl: string,
  more: Record<string, string> = {},
): Answer {
  if (!matchesIfNoneMatch(ifNoneMatch(request), content)) return answerWithEtag(content, cacheControl, more);
  return { status: 304, headers: { ETag: content.etag, "Cache-Control": cacheControl, ...more }, body: null };
}

/** The answer with the body and its tag, without comparing them with the client's copy. */
export function answerWithEtag(
  { body, etag, headers }: BodyWithEtag,
  cacheControl: string,
  more: Record<string, string> = {},
): Answer {
  return jsonAnswer(body, { headers: { ETag: etag, "Cache-Control": cacheControl, ...headers, ...more } });
}

/** Suffix that a compressing proxy adds to a tag. */
const COMPRESSED = /[-;](?:gzip|br)"$/;

/** The header If-None-Match: the entity tags of the client's copies. */
export function ifNoneMatch(request: Request): string | null {
  return request.headers.get("if-none-match");
}

/**
 * Whether If-None-Match contains this tag. The comparison is weak: a `W/` added by a proxy is ignored, and so is the
 * suffix that Apache adds to the tags of compressed answers.
 */
export function matchesIfNoneMatch(header: string | null, { etag }: BodyWithEtag): boolean {
  if (header === null) return false;
  if (header === etag) return true;
  // Fast path for one other tag, as most clients send it: with ten thousand waiting clients this runs twice per
  // client.
  if (header.length === etag.length && header[0] === etag[0] && !header.includes(",")) return false;
  if (header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "").replace(COMPRESSED, '"') === opaque);
}

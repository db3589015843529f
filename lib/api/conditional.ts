import { createHash } from "node:crypto";
import type { z } from "zod";
import { type Answer, jsonAnswer, writeBody } from "./answer";

/** Cache-Control of answers with an entity tag: only for this client and revalidated each time. */
export const PRIVATE_REVALIDATE = "private, no-cache";
/** Cache-Control of public answers with an entity tag: shared caches may use them for half a minute. */
export const PUBLIC_SHORT = "public, max-age=30";

/** A body and its entity tag. In bytes, because a body is serialised once and sent many times. */
export interface Tagged {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  /** Headers that are sent only together with the body, such as its signature. */
  headers?: Record<string, string>;
}

/** Serialises a body and adds its strong entity tag. */
export function tagged<S extends z.ZodType>(schema: S, value: z.output<S>): Tagged {
  return taggedText(writeBody(schema, value));
}

/** Adds the strong entity tag to a serialised body. */
export function taggedText(text: string): Tagged {
  // A Buffer, because Node copies any other bytes on each write.
  const body = Buffer.from(text);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"` };
}

/** Serialises a body with a weak entity tag of `counts`: the value without the parts that change all the time. */
export function weaklyTagged<S extends z.ZodType>(schema: S, value: z.output<S>, counts: unknown): Tagged {
  const { body } = tagged(schema, value);
  return { body, etag: `W/${taggedText(JSON.stringify(counts)).etag}` };
}

/** Answers 304 if the client already has this body, else the body with its tag. */
export function conditionalAnswer(
  request: Request,
  content: Tagged,
  cacheControl: string,
  more: Record<string, string> = {},
): Answer {
  if (!matchesIfNoneMatch(ifNoneMatch(request), content)) return taggedAnswer(content, cacheControl, more);
  return { status: 304, headers: { ETag: content.etag, "Cache-Control": cacheControl, ...more }, body: null };
}

/** Returns the body with its ETag. For requests where the client's copy is known to be out of date. */
export function taggedAnswer(
  { body, etag, headers }: Tagged,
  cacheControl: string,
  more: Record<string, string> = {},
): Answer {
  return jsonAnswer(body, { headers: { ETag: etag, "Cache-Control": cacheControl, ...headers, ...more } });
}

/** Suffix that a compressing proxy adds to a tag. */
const COMPRESSED = /[-;](?:gzip|br)"$/;

/** The entity tags of the client's copies. */
export function ifNoneMatch(request: Request): string | null {
  return request.headers.get("if-none-match");
}

/**
 * Whether If-None-Match contains this tag. Weak comparison: a `W/` added by a proxy is ignored, and so is Apache's
 * suffix of compressed answers.
 */
export function matchesIfNoneMatch(header: string | null, { etag }: Tagged): boolean {
  if (header === null) return false;
  if (header === etag) return true;
  // Fast path for one other tag, as most clients send it: with ten thousand waiting clients this runs twice per
  // client.
  if (header.length === etag.length && header[0] === etag[0] && !header.includes(",")) return false;
  if (header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "").replace(COMPRESSED, '"') === opaque);
}

import { createHash } from "node:crypto";
import type { z } from "zod";
import { type Answer, jsonAnswer, writeBody } from "./answer";

/** Caching of answers that carry a strong entity tag: asked again each time, or good for half a minute for everyone. */
export const PRIVATE_REVALIDATE = "private, no-cache";
export const PUBLIC_SHORT = "public, max-age=30";

/** A body and its strong entity tag: equal bytes, equal tag. Bytes, because it is sent more often than it is written. */
export interface Tagged {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  /** Sent with the body, and never without it: its signature. */
  headers?: Record<string, string>;
}

export function tagged<S extends z.ZodType>(schema: S, value: z.output<S>): Tagged {
  return taggedText(writeBody(schema, value));
}

/** The same for a body that is written already. */
export function taggedText(text: string): Tagged {
  // A Buffer is written as it is; of any other bytes Node makes one at each writing.
  const body = Buffer.from(text);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"` };
}

/** The same with a tag that leaves out what changes by itself; `counts` is the value without it. */
export function weaklyTagged<S extends z.ZodType>(schema: S, value: z.output<S>, counts: unknown): Tagged {
  const { body } = tagged(schema, value);
  return { body, etag: `W/${taggedText(JSON.stringify(counts)).etag}` };
}

/** Answers 304 when the client already holds exactly this body, else the body with its tag. */
export function conditionalAnswer(
  request: Request,
  content: Tagged,
  cacheControl: string,
  more: Record<string, string> = {},
): Answer {
  if (!isHeld(ifNoneMatch(request), content)) return taggedAnswer(content, cacheControl, more);
  return { status: 304, headers: { ETag: content.etag, "Cache-Control": cacheControl, ...more }, body: null };
}

/** Answers the body with its tag, for a client that is known not to hold it. */
export function taggedAnswer(
  { body, etag, headers }: Tagged,
  cacheControl: string,
  more: Record<string, string> = {},
): Answer {
  return jsonAnswer(body, { headers: { ETag: etag, "Cache-Control": cacheControl, ...headers, ...more } });
}

/** What a compressing proxy makes of the end of a tag. */
const COMPRESSED = /[-;](?:gzip|br)"$/;

/** The tags of what the client holds, as it sent them. */
export function ifNoneMatch(request: Request): string | null {
  return request.headers.get("if-none-match");
}

/**
 * Whether If-None-Match names this content. It compares weakly: a `W/` that a proxy added does not matter, nor what Apache
 * appends to the tag of an answer that it compresses.
 */
export function isHeld(header: string | null, { etag }: Tagged): boolean {
  if (header === null) return false;
  if (header === etag) return true;
  // One tag of other content, as most clients send it: of ten thousand who are told at once each is asked twice.
  if (header.length === etag.length && header[0] === etag[0] && !header.includes(",")) return false;
  if (header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "").replace(COMPRESSED, '"') === opaque);
}

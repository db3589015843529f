import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { stripFrameworkScripts } from "./plain-page";

const compress = promisify(gzip);

export interface CachedPage {
  status: number;
  headers: IncomingHttpHeaders;
  html: Buffer;
  gzip: Buffer;
}

/** Strips the framework's scripts from a page, and compresses it. */
export async function toCachedPage({
  status,
  headers,
  body,
}: {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}): Promise<CachedPage> {
  const { link, date: _, "content-length": __, ...kept } = headers;
  const fonts = fontPreloads(link);
  const html = Buffer.from(stripFrameworkScripts(body.toString("utf8")));
  return {
    status,
    headers: { ...kept, ...(fonts && { link: fonts }), vary: "Accept-Encoding, Cookie" },
    html,
    gzip: await compress(html),
  };
}

/**
 * Keeps the preload links of fonts, because a font that arrives after the first paint is not used (font-display: optional).
 * The other links preload scripts that are stripped.
 */
function fontPreloads(link: string | string[] | undefined): string {
  const files = [link ?? []].flat().flatMap((value) => value.split(/,\s*(?=<)/));
  return files.filter((file) => /;\s*as="?font\b/.test(file)).join(", ");
}

/** Sends a cached page, compressed if the client accepts it. */
export function sendCachedPage(page: CachedPage, request: IncomingMessage, response: ServerResponse): void {
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const body = takesGzip ? page.gzip : page.html;
  response.writeHead(page.status, {
    ...page.headers,
    ...(takesGzip ? { "content-encoding": "gzip" } : {}),
    "content-length": body.length,
  });
  response.end(body);
}

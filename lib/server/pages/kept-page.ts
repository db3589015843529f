import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { plainHtml } from "./plain-page";

const compress = promisify(gzip);

export interface KeptPage {
  status: number;
  headers: IncomingHttpHeaders;
  html: Buffer;
  gzip: Buffer;
}

/** A page without the framework's scripts, as it is sent. */
export async function withoutScripts({
  status,
  headers,
  body,
}: {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}): Promise<KeptPage> {
  // `link` names the framework's files, which a plain page does not need; fonts and styles are named in the page itself.
  const { link: _, date: __, "content-length": ___, ...kept } = headers;
  const html = Buffer.from(plainHtml(body.toString("utf8")));
  return {
    status,
    headers: { ...kept, vary: "Accept-Encoding, Cookie" },
    html,
    gzip: await compress(html),
  };
}

/** Sends a kept page, compressed when the client takes it. */
export function sendKept(page: KeptPage, request: IncomingMessage, response: ServerResponse): void {
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const body = takesGzip ? page.gzip : page.html;
  response.writeHead(page.status, {
    ...page.headers,
    ...(takesGzip ? { "content-encoding": "gzip" } : {}),
    "content-length": body.length,
  });
  response.end(body);
}

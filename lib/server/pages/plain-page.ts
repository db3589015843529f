/**
 * Public pages are sent as plain documents (decision 108): rendered by the framework, without its scripts and its copy
 * of the data.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { holdBack } from "./hold-back";

const compress = promisify(gzip);

/** Public pages, which need no script but the small one that they name themselves. */
const PLAIN = /^\/(?:(?:status|docs|changelog|security|verify)(?:\/[^.]*)?)?$/;
/** The same by the template, where the names in an address may have a point. */
const PLAIN_TEMPLATE = /^\/(?:record|models)(?:\/[^.]*)?$/;

// These read what React has written, not any HTML: attributes in double quotes without a ">" in them, and every "</script"
// inside of a script escaped. Next 16 has no setting that leaves its script out.
const SCRIPT = /<script\b([^>]*)>[\s\S]*?<\/script>/g;
const SCRIPT_PRELOAD = /<link\b(?=[^>]*\brel="(?:module)?preload")(?=[^>]*\bas="script")[^>]*>/g;
const OWN_SCRIPT = /\bsrc="\/(?:enhance|verify\/check-one)\.js[?"]/;

/**
 * Whether the answer to this request is sent as a plain document. The framework's own requests for data are not. `page`
 * is the page that Next has for the path, or null.
 */
export function isPlainPage(path: string, page: string | null, request: IncomingMessage): boolean {
  if (request.headers.rsc !== undefined) return false;
  // An unknown address without an ending gets the page that says so.
  return (
    PLAIN.test(path) ||
    PLAIN_TEMPLATE.test(page ?? "") ||
    (page === null && !path.includes(".") && !path.startsWith("/_next/"))
  );
}

/** The document without the framework's scripts; the site's own stays. */
export function plainHtml(html: string): string {
  return html
    .replace(SCRIPT, (script, attributes: string) => (OWN_SCRIPT.test(attributes) ? script : ""))
    .replace(SCRIPT_PRELOAD, "");
}

/**
 * Lets `answer` write its page into memory and sends it on as a plain document, compressed when the client takes
 * it. Answers other than HTML pass as they are. Returns what `answer` returns, which may fail.
 */
export function sendPlainPage(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): unknown {
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  delete request.headers["accept-encoding"];
  const page = holdBack(response);
  page.body.then((body) => toPlainBody(response, body, takesGzip)).then(page.send, () => response.destroy());
  return answer(request, response);
}

/** The body to send for what was written, with the headers of the response set to match. */
async function toPlainBody(response: ServerResponse, body: Buffer, takesGzip: boolean): Promise<Buffer> {
  const isHtml = String(response.getHeader("content-type") ?? "").startsWith("text/html");
  if (!isHtml || body.length === 0) return body;
  response.removeHeader("transfer-encoding");
  // This header names the framework's files, which a plain page does not need. Font and styles are also named in the
  // page itself.
  response.removeHeader("link");
  const html = Buffer.from(plainHtml(body.toString("utf8")));
  const sent = takesGzip ? await compress(html) : html;
  if (takesGzip) response.setHeader("content-encoding", "gzip");
  response.setHeader("content-length", sent.length);
  return sent;
}

/**
 * Public pages are sent as plain documents (decision 108): rendered by the framework, without its scripts and its copy
 * of the data.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);

/** Public pages, which need no script but the small one that they name themselves. */
const PLAIN = /^\/(?:(?:status|docs|changelog|security)(?:\/[^.]*)?)?$/;

/** Draws the API description in the browser and needs the framework for it. */
const NEEDS_FRAMEWORK = "/docs/reference";

const SCRIPT = /<script\b([^>]*)>[\s\S]*?<\/script>/g;
const SCRIPT_PRELOAD = /<link\b(?=[^>]*\brel="(?:module)?preload")(?=[^>]*\bas="script")[^>]*>/g;
const OWN = /\bsrc="\/enhance\.js"/;

/**
 * Whether the answer to this request is sent as a plain document. The framework's own requests for data are not. `page`
 * is the page that Next has for the path, or null.
 */
export function isPlainPage(path: string, page: string | null, request: IncomingMessage): boolean {
  if (request.headers.rsc !== undefined || path === NEEDS_FRAMEWORK) return false;
  // An unknown address without an ending gets the page that says so.
  return PLAIN.test(path) || (page === null && !path.includes(".") && !path.startsWith("/_next/"));
}

/** The document without the framework's scripts; the site's own stays. */
export function plainHtml(html: string): string {
  return html
    .replace(SCRIPT, (script, attributes: string) => (OWN.test(attributes) ? script : ""))
    .replace(SCRIPT_PRELOAD, "");
}

/**
 * Lets `answer` write its page into memory and sends it on as a plain document, compressed when the client takes
 * it. Answers other than HTML pass as they are.
 */
export function sendPlainPage(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): void {
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  delete request.headers["accept-encoding"];
  const parts: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === "string") parts.push(Buffer.from(chunk, isEncoding(encoding) ? encoding : "utf8"));
    else if (chunk instanceof Uint8Array) parts.push(Buffer.from(chunk));
  };
  const called = (values: unknown[]) => {
    const callback = values.find((value) => typeof value === "function");
    // node:http takes the callback as its last argument, after a chunk, an encoding, or neither.
    if (callback) process.nextTick(callback as () => void);
  };
  const { end, writeHead } = response;
  let over = false;

  // The head is sent with the body's final length; until then status and headers stay on the response.
  response.flushHeaders = () => undefined;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    response.statusCode = status;
    const headers = rest.find((value) => typeof value === "object" && value !== null);
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    return response;
  };
  response.write = (chunk: unknown, ...rest: unknown[]) => {
    keep(chunk, rest[0]);
    called(rest);
    return true;
  };
  response.end = ((...values: unknown[]) => {
    if (over) return response;
    over = true;
    if (typeof values[0] !== "function") keep(values[0], values[1]);
    called(values);
    finish(response, Buffer.concat(parts), takesGzip).then(
      (body) => {
        response.writeHead = writeHead;
        end.call(response, body, "utf8");
      },
      () => response.destroy(),
    );
    return response;
    // The overloads of end() cannot be written as one function type.
  }) as ServerResponse["end"];
  answer(request, response);
}

async function finish(response: ServerResponse, body: Buffer, takesGzip: boolean): Promise<Buffer> {
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

function isEncoding(value: unknown): value is BufferEncoding {
  return typeof value === "string" && Buffer.isEncoding(value);
}

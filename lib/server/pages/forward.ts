import {
  Agent,
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { PageRequest } from "@/lib/runtime/page-request";
import { sendFailure } from "./failed-page";
import type { AskedPage, PageMaker } from "./page-maker";

/** Tells the thread that makes pages what the main thread found out of a request. */
const ASKED_HEADER = "x-page-asked";
/** Tells the main thread what was learnt of the page. Both are set by us alone, and neither leaves. */
const LEARNT_HEADER = "x-page-learnt";

/** Belong to one connection, not to what is sent over it. */
const OF_CONNECTION = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

type Learnt = Pick<PageRequest, "reader" | "isUnavailable">;

const agent = new Agent({ keepAlive: true });

/** Heads that the main thread took have grown by what it adds to them. */
const MAX_HEAD_BYTES = 65_536;

/**
 * Hands a request on to the thread that listens at `socketPath`, and its answer back. Resolves when the answer has begun or
 * cannot come any more; then it has been answered as a page that cannot be made just now.
 */
export function forward(
  socketPath: string,
  request: IncomingMessage,
  response: ServerResponse,
  { page, ...asked }: AskedPage,
): Promise<void> {
  return new Promise((done) => {
    const { host, ...headers } = withoutConnection(request.headers);
    const handed = httpRequest({
      agent,
      socketPath,
      method: request.method ?? "GET",
      path: request.url ?? "/",
      setHost: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      headers: {
        ...headers,
        ...(host === undefined ? {} : { host }),
        [ASKED_HEADER]: JSON.stringify({ ...asked, template: page.template }),
      },
    });
    handed.on("response", (answer) => {
      sendBack(answer, response, page);
      done();
    });
    handed.on("error", () => {
      page.isUnavailable = true;
      if (response.headersSent) response.destroy();
      else sendFailure(response, true);
      done();
    });
    // Whoever goes takes the making of the page along.
    response.once("close", () => handed.destroy());
    sendBody(request, handed);
  });
}

function sendBody(request: IncomingMessage, handed: ClientRequest): void {
  request.once("error", () => handed.destroy());
  request.pipe(handed);
  // What was refused before it was here is read and let go: a caller who still writes does not see the answer.
  handed.once("close", () => request.resume());
}

function sendBack(answer: IncomingMessage, response: ServerResponse, page: PageRequest): void {
  const learnt = answer.headers[LEARNT_HEADER];
  // The other end is this program.
  if (typeof learnt === "string") Object.assign(page, JSON.parse(learnt) as Learnt);
  response.statusCode = answer.statusCode ?? 500;
  for (const [name, value] of Object.entries(withoutConnection(answer.headers)))
    if (name !== LEARNT_HEADER && name !== "date" && name !== "transfer-encoding" && value !== undefined)
      response.setHeader(name, value);
  // Events go on for hours: their head is not held back until the first of them.
  if (answer.headers["content-type"]?.startsWith("text/event-stream")) response.flushHeaders();
  answer.once("error", () => response.destroy());
  answer.pipe(response);
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
}

/** In the thread: a server that answers what is handed on. Limits of what comes from outside are the main thread's. */
export function handedServer(maker: PageMaker): Server {
  const server = createServer(
    { requireHostHeader: false, maxHeaderSize: MAX_HEAD_BYTES },
    (request, response) => void maker.answer(request, response, takeAsked(request, response)),
  );
  return Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
}

/** What was asked, and the note of what is learnt, which leaves with the head of the answer. */
function takeAsked(request: IncomingMessage, response: ServerResponse): AskedPage {
  const header = request.headers[ASKED_HEADER];
  delete request.headers[ASKED_HEADER];
  // The other end is this program.
  const { template, ...asked } = JSON.parse(String(header)) as Omit<AskedPage, "page"> & { template: string };
  const page: PageRequest = { template, isUnavailable: false, reader: null };
  const { writeHead } = response;
  response.writeHead = ((...given: Parameters<ServerResponse["writeHead"]>) => {
    const { reader, isUnavailable } = page;
    // The end of the caller's connection is not the end of this one: a body that is still being handed on would break it
    // before the answer is read (decision 341).
    response.removeHeader("connection");
    response.setHeader(LEARNT_HEADER, JSON.stringify({ reader, isUnavailable } satisfies Learnt));
    return writeHead.apply(response, given);
    // The overloads of writeHead() cannot be written as one function type.
  }) as ServerResponse["writeHead"];
  return { ...asked, page };
}

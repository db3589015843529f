import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errorAnswer, transportHeaders, type WholeAnswer } from "@/lib/api/answer";
import { newRequestId } from "@/lib/api/request-id";
import { log } from "@/lib/runtime/log";
import { AppError } from "@/lib/wire/errors";
import { newestResponse } from "./newest-response";
import { MOST_AHEAD } from "./sent-ahead";

/** How long a refused connection may stay open for its refusal to be read. */
const LINGER_MS = 2_000;

/** The answer to a request that never reached a handler: the usual error object, with a request id of its own. */
export function refusal(error: AppError): WholeAnswer {
  const requestId = newRequestId();
  const answer = errorAnswer(error, requestId);
  log("info", "refused unread", { requestId, status: answer.status, code: error.code });
  const headers = {
    ...answer.headers,
    ...transportHeaders(),
    "Content-Length": String(Buffer.byteLength(answer.body)),
    "X-Request-Id": requestId,
    Connection: "close",
  };
  return { ...answer, headers };
}

/** The error of a request head that Node's parser accepts and this server refuses, or null. */
export function headProblem(request: IncomingMessage): AppError | null {
  if (request.headers.host === undefined && request.httpVersion === "1.1")
    return new AppError("bad_request", { detail: "Send a Host header." });
  if (!/^(?:\/|https?:\/\/)/i.test(request.url ?? ""))
    return new AppError("bad_request", { detail: "The address of a request is a path." });
  return null;
}

/** What a connection is told that sends on without waiting for answers (decision 349). */
export const tooManyAhead = (): AppError =>
  new AppError("rate_limited", {
    detail: `More than ${MOST_AHEAD} requests of this connection wait for their answers. Read those first, or open more connections.`,
    headers: { "Retry-After": "1" },
  });

export function sendRefusal(response: ServerResponse, error: AppError): void {
  const { status, headers, body } = refusal(error);
  response.writeHead(status, headers).end(body);
}

/**
 * Answers in JSON to a request that Node's parser could not read. Node itself would send a bare status (decision 124).
 */
export function answerUnreadable(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET") socket.destroy();
    else refuseOn(socket, unreadable(error.code));
  });
}

/**
 * Answers CONNECT with 405 (decision 134). Node does not pass CONNECT to the listener; without this it closes the
 * connection and sends nothing.
 */
export function answerConnect(server: Server): void {
  server.on("connect", (_request, socket) => {
    // Node no longer handles this connection, so its errors must be handled here.
    socket.on("error", () => socket.destroy());
    // While an answer to an earlier request is under way, nothing may be written: the connection is closed.
    if (newestResponse(socket)?.writableEnded === false) socket.destroy();
    else refuseOn(socket, new AppError("method_not_allowed", { headers: { Allow: "" } }));
  });
}

/** Sends the refusal and closes the connection. While another answer is under way, it only closes it. */
function refuseOn(socket: Duplex, error: AppError): void {
  const begun = newestResponse(socket);
  // The refusal must not be written into the middle of another answer.
  if (!socket.writable || (begun?.headersSent && !begun.writableEnded)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusal(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${body}`);
  // decision 134: reading on shows when the client closes. If it has not closed after LINGER_MS, the connection is
  // closed here.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function unreadable(code: string | undefined): AppError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new AppError("headers_too_large");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new AppError("body_too_large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new AppError("body_timeout", { detail: "The request took too long to arrive." });
    default:
      return new AppError("bad_request");
  }
}

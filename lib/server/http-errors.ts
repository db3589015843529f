/** Errors for requests that reach no handler, in the JSON format of the API. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { answerSecurityHeaders, errorAnswer, type WholeAnswer } from "@/lib/api/answer";
import { newRequestId } from "@/lib/api/request-id";
import { log } from "@/lib/runtime/log";
import { SECOND_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import type { RequestPipeline } from "./request-pipeline";

/** Time in which a client may read the error before its connection is closed. */
const LINGER_MS = 2 * SECOND_MS;

/** The standard error object with a request id, as a response that closes the connection. Logs the refusal. */
export function errorResponse(error: AppError): WholeAnswer {
  const requestId = newRequestId();
  const answer = errorAnswer(error, requestId);
  log("info", "refused unread", { requestId, status: answer.status, code: error.code });
  const headers = {
    ...answer.headers,
    ...answerSecurityHeaders(),
    "Content-Length": String(Buffer.byteLength(answer.body)),
    "X-Request-Id": requestId,
    Connection: "close",
  };
  return { ...answer, headers };
}

export function sendError(response: ServerResponse, error: AppError): void {
  const { status, headers, body } = errorResponse(error);
  response.writeHead(status, headers).end(body);
}

/**
 * Whether a request lacks the header Host although HTTP/1.1 requires it, or has several, of which a proxy may read another
 * one (RFC 9112, section 3.2).
 */
export function hasWrongHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === "host") hosts++;
  return hosts > 1 || (hosts === 0 && httpVersion === "1.1");
}

/** Answers malformed requests in JSON; Node alone would send a bare status. */
export function installMalformedRequestHandler(server: Server, pipeline: RequestPipeline): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // The client has disconnected, and the response closes without further action.
    if (socket.destroyed) return;
    const current = pipeline.current(socket);
    // The malformed bytes follow a request in progress: close the connection after its response.
    if (current?.request.complete) current.response.once("close", () => socket.destroy());
    else if (error.code === "ECONNRESET" || !socket.writable || current?.response.headersSent)
      socket.destroy();
    else refuseOn(socket, unreadable(error.code));
  });
}

function refuseOn(socket: Duplex, error: AppError): void {
  const { status, headers, body } = errorResponse(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${body}`);
  // Keeps reading, because otherwise the client's close is not noticed.
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

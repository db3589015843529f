/** Errors of requests that reach no handler, in the interface's JSON. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errorAnswer, transportHeaders, type WholeAnswer } from "@/lib/api/answer";
import { newRequestId } from "@/lib/api/request-id";
import { log } from "@/lib/runtime/log";
import { SECOND_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import type { RequestPipeline } from "./request-pipeline";

/** How long a refused connection may stay open for its refusal to be read. */
const LINGER_MS = 2 * SECOND_MS;

/** The usual error object with a request id; the connection closes after it. */
export function errorResponse(error: AppError): WholeAnswer {
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

export function sendError(response: ServerResponse, error: AppError): void {
  const { status, headers, body } = errorResponse(error);
  response.writeHead(status, headers).end(body);
}

/** Whether a request head that Node's parser accepts lacks what HTTP/1.1 demands. */
export const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion === "1.1";

/** Answers in JSON to bytes that Node's parser could not read; Node itself would send a bare status. */
export function answerMalformed(server: Server, pipeline: RequestPipeline): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const current = pipeline.current(socket);
    // The bytes came after a request that is being answered: the connection ends with that answer.
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
  // Reading on shows when the client closes.
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

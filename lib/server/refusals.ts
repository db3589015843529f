import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type Answer, errorAnswer } from "../api/answer";
import { newRequestId } from "../api/request-id";
import { AppError } from "../errors";
import { log } from "../log";
import { newestResponse } from "./newest-response";

/** The answer to what never reached a handler: an error like any other, with a request id of its own. */
export function refusal(error: AppError): Answer {
  const requestId = newRequestId();
  const answer = errorAnswer(error, requestId);
  log("info", "refused unread", { requestId, status: answer.status, code: error.code });
  const headers = {
    ...answer.headers,
    "Content-Length": String(Buffer.byteLength(answer.body ?? "")),
    "X-Request-Id": requestId,
    Connection: "close",
  };
  return { ...answer, headers };
}

/** What is wrong with the head of a request that the parser of Node lets pass, or null. */
export function headProblem(request: IncomingMessage): AppError | null {
  if (request.headers.host === undefined && request.httpVersion === "1.1")
    return new AppError("bad_request", { detail: "Send a Host header." });
  if (!/^(?:\/|https?:\/\/)/i.test(request.url ?? ""))
    return new AppError("bad_request", { detail: "The address of a request is a path." });
  return null;
}

export function sendRefusal(response: ServerResponse, error: AppError): void {
  const { status, headers, body } = refusal(error);
  response.writeHead(status, headers).end(body);
}

/** Answers in JSON what Node's parser could not read, where Node itself would answer a bare status. */
export function answerUnreadable(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const begun = newestResponse(socket);
    // Nothing may be written into an answer that is on its way.
    if (!socket.writable || error.code === "ECONNRESET" || (begun?.headersSent && !begun.writableEnded)) {
      socket.destroy();
      return;
    }
    const { status, headers, body } = refusal(unreadable(error.code));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${body ?? ""}`);
  });
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

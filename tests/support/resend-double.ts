import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedMail {
  authorization: string | undefined;
  idempotencyKey: string | undefined;
  body: { from: string; to: string[]; subject: string; html: string; text: string };
  atMs: number;
}

/** An answer to one call. "hang" sends no answer, "drop" closes the connection. */
export type ResendReply =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | "hang"
  | "drop";

export interface ResendDouble {
  url: string;
  received: ReceivedMail[];
  /** Answers to the next calls in order; afterwards everything is accepted. */
  replies: ResendReply[];
  close(): Promise<void>;
}

/** Starts a local substitute for Resend's HTTP API. */
export async function startResendDouble(): Promise<ResendDouble> {
  const received: ReceivedMail[] = [];
  const replies: ResendReply[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const idempotencyKey = request.headers["idempotency-key"];
      const sent: ReceivedMail = {
        authorization: request.headers.authorization,
        idempotencyKey: Array.isArray(idempotencyKey) ? idempotencyKey[0] : idempotencyKey,
        body: JSON.parse(text),
        atMs: performance.now(),
      };
      received.push(sent);
      const reply = replies.shift() ?? { status: 200 };
      if (reply === "hang") return;
      if (reply === "drop") return void request.socket.destroy();
      const body =
        reply.body ??
        (reply.status === 200 ? { id: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" } : errorBody(reply.status));
      response.writeHead(reply.status, { "Content-Type": "application/json", ...reply.headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    replies,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const NAMES: Record<number, string> = {
  401: "restricted_api_key",
  403: "validation_error",
  422: "validation_error",
  429: "rate_limit_exceeded",
  500: "internal_server_error",
};

function errorBody(statusCode: number) {
  return { statusCode, name: NAMES[statusCode] ?? "application_error", message: "about someone@example.com" };
}

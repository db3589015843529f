import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  body: string;
  path: string;
  atMs: number;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedRequest[];
  /** Sets the answer to each further request; 200 by default. */
  answer(how: (response: ServerResponse, request: ReceivedRequest) => void): void;
  close(): Promise<void>;
}

/** Starts a subscriber's webhook receiver on loopback. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedRequest[] = [];
  let how: (response: ServerResponse, request: ReceivedRequest) => void = (response) => response.end("ok");
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const got: ReceivedRequest = {
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
        path: request.url ?? "",
        atMs: performance.now(),
      };
      received.push(got);
      how(response, got);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      how = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

import { Agent, type IncomingHttpHeaders, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

export interface TestRequest {
  method: string;
  /** Path and query exactly as sent. */
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface TestResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Body of the answer; empty for an event stream, of which only status and headers are read. */
  text: string;
}

const PATIENCE_MS = 20_000;

/** Sends a request with exactly this path, unnormalised. Rejects if no answer arrives within 20 seconds. */
export function sendRequest(
  port: number,
  { method, path, headers, body }: TestRequest,
): Promise<TestResponse> {
  return new Promise((done, fail) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const sent = request(
      { agent, host: "127.0.0.1", port, method, path, headers: { ...headers, ...length } },
      (incoming) => {
        const told = (text: string) => {
          clearTimeout(timer);
          done({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        };
        if (incoming.headers["content-type"]?.startsWith("text/event-stream")) {
          told("");
          return void sent.destroy();
        }
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => told(Buffer.concat(chunks).toString()));
        incoming.on("error", fail);
      },
    );
    const timer = setTimeout(() => sent.destroy(new Error(`${method} ${path}: no answer`)), PATIENCE_MS);
    sent.on("error", (error) => {
      clearTimeout(timer);
      fail(error);
    });
    sent.end(body);
  });
}

/** Closes the kept-alive connections. */
export function closeKeptAliveConnections(): void {
  agent.destroy();
}

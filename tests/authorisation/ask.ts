import { Agent, type IncomingHttpHeaders, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

export interface Asked {
  method: string;
  /** Path and query as they stand on the wire. */
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Told {
  status: number;
  headers: IncomingHttpHeaders;
  /** Of a stream of events only that it began. */
  text: string;
}

const PATIENCE_MS = 20_000;

/** Sends exactly this path. An answer without an end of its own is left after its head. */
export function ask(port: number, { method, path, headers, body }: Asked): Promise<Told> {
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

/** Lets go of the connections that are kept open. */
export function hangUp(): void {
  agent.destroy();
}

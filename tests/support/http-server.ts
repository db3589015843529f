import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createHttpServer, type HttpServer } from "@/lib/server/http-server";
import { MOUNTS } from "@/lib/server/mounts";
import { PageClient } from "@/lib/server/pages/page-client";
import type { FoundPage } from "@/lib/server/pages/page-finder";
import { pageListener } from "@/lib/server/pages/page-listener";
import { PageResponse } from "@/lib/server/pages/page-response";
import { temporaryDirectory } from "./temporary-directory";

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

export interface RunningHttpServer {
  httpServer: HttpServer;
  pages: PageClient;
  port: number;
  /** Paths with query that were requested from Next. */
  rendered: string[];
  /** Sends bytes over a new connection. Returns everything received until the server closes it, parsed as one answer. */
  exchange(bytes: string | Buffer): Promise<RawAnswer>;
}

export interface HttpServerOptions {
  /** Stands in for Next. */
  next(request: IncomingMessage, response: ServerResponse): unknown;
  findPage(path: string): FoundPage | null;
  isFile?(path: string): boolean;
}

/**
 * Runs the HTTP server and a server in place of the page process, both in the test process, while the tests of a file
 * run.
 */
export function useHttpServer({
  next,
  findPage,
  isFile = () => false,
}: HttpServerOptions): RunningHttpServer {
  const rendered: string[] = [];
  const directory = temporaryDirectory("http-server");
  const socketPath = join(directory, "pages.sock");
  const listener = pageListener({
    findPage,
    next: (request, response) => {
      rendered.push(request.url ?? "");
      return next(request, response);
    },
  });
  const pageServer = createServer({ ServerResponse: PageResponse }, (request, response) =>
    listener(request, response),
  );
  const pages = new PageClient(socketPath);
  const httpServer = createHttpServer({ mounts: MOUNTS, pages, findPage, isFile });
  const running: RunningHttpServer = {
    httpServer,
    pages,
    port: 0,
    rendered,
    exchange: (bytes) =>
      new Promise((done, fail) => {
        const socket = connect(running.port, "127.0.0.1", () => socket.write(bytes));
        let text = "";
        socket.on("data", (chunk: Buffer) => {
          text += chunk.toString("latin1");
        });
        socket.on("error", fail);
        socket.on("close", () => {
          const [head = "", ...rest] = text.split("\r\n\r\n");
          done({ status: Number(head.slice(9, 12)), head, body: rest.join("\r\n\r\n") });
        });
      }),
  };
  beforeAll(async () => {
    await new Promise<void>((done) => pageServer.listen(socketPath, done));
    await new Promise<void>((done) => httpServer.server.listen(0, "127.0.0.1", done));
    // A server on a port has an address object, not a path.
    running.port = (httpServer.server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    httpServer.server.closeAllConnections();
    httpServer.server.close();
    await pages.close();
    pageServer.closeAllConnections();
    pageServer.close();
  });
  return running;
}

/** The bytes of a GET request with Connection: close. */
export const rawGetRequest = (target: string, headers = ""): string =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;

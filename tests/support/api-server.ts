import { type AddressInfo, connect, type Socket } from "node:net";
import { createHttpServer } from "@/lib/server/http-server";
import { MOUNTS } from "@/lib/server/mounts";
import { PageClient } from "@/lib/server/pages/page-client";

/** Starts the HTTP server in this process on a free port, without pages, for tests of HTTP itself. */
export async function startApiServer(): Promise<{ url: string; port: number; close: () => Promise<void> }> {
  const { server } = createHttpServer({
    mounts: MOUNTS,
    // No page process listens at this path: the tests request no page.
    pages: new PageClient("/nowhere.sock"),
    findPage: () => null,
    isFile: () => false,
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export interface RawConversation {
  socket: Socket;
  /** Everything received until the server closed the connection or one complete answer with Content-Length arrived. */
  answer: Promise<string>;
}

/** Opens a connection and writes exactly these bytes. */
export function sendRaw(port: number, head: string): RawConversation {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  const answer = new Promise<string>((done) => {
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const split = received.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(received)?.[1];
      if (split >= 0 && length !== undefined && received.length >= split + 4 + Number(length)) done(received);
    });
    socket.on("close", () => done(received));
    socket.on("error", () => done(received));
  });
  socket.write(head);
  return { socket, answer };
}

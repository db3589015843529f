import { connect, createServer, type Server, type Socket } from "node:net";

export interface TcpProxy {
  port: number;
  /** Opens the port and hands everything on to `target`. */
  open(): Promise<void>;
  /** Closes the port and cuts every connection. */
  cut(): Promise<void>;
}

/** A port in front of another server that can be there or not, as a network can. */
export function tcpProxy(port: number, target: { host: string; port: number }): TcpProxy {
  let server: Server | null = null;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  return {
    port,
    open: () =>
      new Promise((done, fail) => {
        server = createServer((socket) => {
          const upstream = connect(target.port, target.host);
          keep(socket);
          keep(upstream);
          socket.pipe(upstream).pipe(socket);
          socket.on("close", () => upstream.destroy());
          upstream.on("close", () => socket.destroy());
        });
        server.once("error", fail);
        server.listen(port, "127.0.0.1", done);
      }),
    cut: () =>
      new Promise((done) => {
        const closing = server;
        server = null;
        for (const socket of sockets) socket.destroy();
        if (closing) closing.close(() => done());
        else done();
      }),
  };
}

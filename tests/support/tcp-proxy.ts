import { connect, createServer, type Server, type Socket } from "node:net";

/** How a new connection is treated: passed to the target, left without a reply, or closed at once. */
export type Welcome = "pass" | "silence" | "hang-up";

export interface TcpProxy {
  port: number;
  /** Opens the port and hands everything on to `target`. */
  open(): Promise<void>;
  /** Closes the port and cuts every connection. */
  cut(): Promise<void>;
  /** How new connections fare from now on. */
  welcome(welcome: Welcome): void;
  /** From now on drops everything that the open connections carry and tells neither side. */
  silence(): void;
}

/**
 * A port in front of another server that can pass data on, refuse connections, or accept them and stay silent, as a
 * network can.
 */
export function tcpProxy(port: number, target: { host: string; port: number }): TcpProxy {
  let server: Server | null = null;
  let welcome: Welcome = "pass";
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const swallow = (socket: Socket) => socket.unpipe().resume();
  return {
    port,
    open: () =>
      new Promise((done, fail) => {
        server = createServer((socket) => {
          keep(socket);
          if (welcome === "hang-up") return void socket.destroy();
          if (welcome === "silence") return void swallow(socket);
          const upstream = connect(target.port, target.host);
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
    welcome: (next) => {
      welcome = next;
    },
    silence: () => {
      for (const socket of sockets) swallow(socket);
    },
  };
}

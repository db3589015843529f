import { connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";
import { freePort } from "./server";

/** How a new connection is treated: passed to the target, left without a reply, or closed at once. */
export type Welcome = "pass" | "silence" | "hang-up";

export interface TcpProxy {
  port: number;
  /** How often a caller has asked anew after it was answered, over all connections. */
  readonly trips: number;
  /** Opens the port and hands everything on to `target`. */
  open(): Promise<void>;
  /** Closes the port and cuts every connection. */
  cut(): Promise<void>;
  /** How new connections fare from now on. */
  welcome(welcome: Welcome): void;
  /** From now on drops everything that the open connections carry and tells neither side. */
  silence(): void;
  /** Ends every open connection by a reset, as a firewall does that lost its table. */
  reset(): void;
  /** Ends every open connection on the side of the target alone: the other side hears nothing of it. */
  leaveHalfOpen(): void;
  /** From now on everything arrives so much later, in either direction. */
  delay(ms: number): void;
}

/**
 * A port in front of another server that can pass data on, late or not at all, refuse connections, reset them, or accept
 * them and stay silent, as a network can.
 */
export function tcpProxy(port: number, target: { host: string; port: number }): TcpProxy {
  let server: Server | null = null;
  let welcome: Welcome = "pass";
  let delayMs = 0;
  let trips = 0;
  const callers = new Set<Socket>();
  const upstreams = new Set<Socket>();
  const keep = (socket: Socket, among: Set<Socket>) => {
    among.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => among.delete(socket));
  };
  const swallow = (socket: Socket) => socket.unpipe().resume();
  const later = () =>
    new Transform({
      transform: (chunk, _, done) => {
        if (delayMs === 0) done(null, chunk);
        else setTimeout(() => done(null, chunk), delayMs);
      },
    });
  /** Counts when the direction turns to the target. */
  const countTrips = (socket: Socket, upstream: Socket) => {
    let isAsking = false;
    socket.on("data", () => {
      if (!isAsking) trips++;
      isAsking = true;
    });
    upstream.on("data", () => {
      isAsking = false;
    });
  };
  return {
    port,
    get trips() {
      return trips;
    },
    open: () =>
      new Promise((done, fail) => {
        server = createServer((socket) => {
          keep(socket, callers);
          if (welcome === "hang-up") return void socket.destroy();
          if (welcome === "silence") return void swallow(socket);
          const upstream = connect(target.port, target.host);
          keep(upstream, upstreams);
          countTrips(socket, upstream);
          socket.pipe(later()).pipe(upstream);
          upstream.pipe(later()).pipe(socket);
          socket.on("close", () => upstream.destroy());
          upstream.on("close", () => upstreamLeft.has(upstream) || socket.destroy());
        });
        server.once("error", fail);
        server.listen(port, "127.0.0.1", done);
      }),
    cut: () =>
      new Promise((done) => {
        const closing = server;
        server = null;
        for (const socket of [...callers, ...upstreams]) socket.destroy();
        if (closing) closing.close(() => done());
        else done();
      }),
    welcome: (next) => {
      welcome = next;
    },
    silence: () => {
      for (const socket of [...callers, ...upstreams]) swallow(socket);
    },
    reset: () => {
      for (const socket of callers) socket.resetAndDestroy();
    },
    leaveHalfOpen: () => {
      for (const socket of callers) swallow(socket);
      for (const upstream of upstreams) {
        upstreamLeft.add(upstream);
        swallow(upstream).destroy();
      }
    },
    delay: (ms) => {
      delayMs = ms;
    },
  };
}

/** An open port in front of a server that has a URL, and the URL that leads through it. */
export async function openProxyTo(url: string): Promise<{ proxy: TcpProxy; through: string }> {
  const { hostname, port } = new URL(url);
  const proxy = tcpProxy(await freePort(), { host: hostname, port: Number(port) });
  await proxy.open();
  return { proxy, through: Object.assign(new URL(url), { port: String(proxy.port) }).href };
}

/** Ends of connections whose other end is to hear nothing of it. */
const upstreamLeft = new WeakSet<Socket>();

import { connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";
import { pickFreePort } from "@/db/embedded/cluster";

/** Treatment of a new connection: forwarded, left without an answer, or closed at once. */
export type ConnectionTreatment = "pass" | "silence" | "hang-up";

export interface TcpProxy {
  port: number;
  /** Number of round trips over all connections: the first request, and each request after an answer. */
  readonly trips: number;
  /** Opens the port. New connections are forwarded to `target` unless `welcome` says otherwise. */
  open(): Promise<void>;
  /** Closes the port and cuts every connection. */
  cut(): Promise<void>;
  /** Sets the treatment of new connections. */
  welcome(welcome: ConnectionTreatment): void;
  /** From now on silently drops everything on open connections. */
  silence(): void;
  /** Resets every open connection of a client and closes its connection to the target. */
  reset(): void;
  /** Closes every open connection on the target's side only; the client is not notified. */
  leaveHalfOpen(): void;
  /** Delays everything in both directions from now on. */
  delay(ms: number): void;
}

/**
 * A proxy on a loopback port in front of another server. It can forward, delay or drop data, refuse or reset
 * connections, or accept them without an answer. Listens only after `open`.
 */
export function tcpProxy(port: number, target: { host: string; port: number }): TcpProxy {
  let server: Server | null = null;
  let welcome: ConnectionTreatment = "pass";
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
  /** Counts round trips: changes of direction towards the target. */
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

/** Opens a proxy on a free port in front of the server of this URL. `through` is the URL that goes through the proxy. */
export async function openProxyTo(url: string): Promise<{ proxy: TcpProxy; through: string }> {
  const { hostname, port } = new URL(url);
  const proxy = tcpProxy(await pickFreePort(), { host: hostname, port: Number(port) });
  await proxy.open();
  return { proxy, through: Object.assign(new URL(url), { port: String(proxy.port) }).href };
}

/** Sockets to the target that were closed without closing the client's end. */
const upstreamLeft = new WeakSet<Socket>();

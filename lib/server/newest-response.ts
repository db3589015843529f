import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Attached } from "@/lib/runtime/attached";

const newest = new Attached<Duplex, ServerResponse>();

/** Remembers the answer that a connection's newest request is to get. */
export function noteResponse(socket: Duplex, response: ServerResponse): void {
  newest.set(socket, response);
}

/**
 * That answer, under way or sent; undefined before the first request. Answers are sent in the order of their requests,
 * so none comes after it.
 */
export function newestResponse(socket: Duplex): ServerResponse | undefined {
  return newest.of(socket);
}

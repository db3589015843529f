import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Attached } from "@/lib/runtime/attached";

/** Requests that one connection may send ahead of their answers; a moment later it may be as many again, less one. */
export const MOST_AHEAD = 64;

/** Requests of a connection, counted from one whose answer is not all sent yet. */
interface Ahead {
  first: ServerResponse;
  count: number;
}

const aheads = new Attached<Duplex, Ahead>();

/**
 * Counts a request of a connection (decision 349). Tells whether it is answered like any other, refused because too many
 * before it wait, or comes after a refused one: then it gets no answer, and the connection ends with the refusal.
 */
export function takeTurn(socket: Duplex, response: ServerResponse): "answer" | "refuse" | "ignore" {
  const ahead = aheads.of(socket);
  if (ahead === undefined) aheads.set(socket, { first: response, count: 1 });
  else if (ahead.count > MOST_AHEAD) return "ignore";
  else if (ahead.first.writableFinished) {
    ahead.first = response;
    ahead.count = 1;
  } else if (++ahead.count > MOST_AHEAD) return "refuse";
  return "answer";
}

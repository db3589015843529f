import type { ServerResponse } from "node:http";

export interface HeldBack {
  /** Everything that was written, once the response was ended. */
  body: Promise<Buffer>;
  /** Sends the head as it stands on the response, and this body. */
  send: (body: Buffer) => void;
}

/**
 * Keeps in memory what is written to a response, head and body, until `send`. The response itself is changed, and not
 * replaced by one of another class: Next listens to its events and asks for its socket, which only the real one has.
 */
export function holdBack(response: ServerResponse): HeldBack {
  const { end, writeHead } = response;
  let finish: (body: Buffer) => void = () => undefined;
  const body = new Promise<Buffer>((resolve) => {
    finish = resolve;
  });
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === "string") chunks.push(Buffer.from(chunk, isEncoding(encoding) ? encoding : "utf8"));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };

  // Status and headers stay on the response: the length of the body, which the head tells, is not known yet.
  response.flushHeaders = () => undefined;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    response.statusCode = status;
    const headers = rest.find((value) => typeof value === "object" && value !== null);
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    return response;
  };
  response.write = (chunk: unknown, ...rest: unknown[]) => {
    keep(chunk, rest[0]);
    callBack(rest);
    return true;
  };
  response.end = ((...given: unknown[]) => {
    if (typeof given[0] !== "function") keep(given[0], given[1]);
    callBack(given);
    finish(Buffer.concat(chunks));
    return response;
    // The overloads of end() cannot be written as one function type.
  }) as ServerResponse["end"];

  const send = (sent: Buffer) => {
    response.writeHead = writeHead;
    end.call(response, sent, "utf8");
  };
  return { body, send };
}

/** Calls the callback among the arguments of write() or end(), wherever it stands. */
function callBack(given: unknown[]): void {
  const callback = given.find((value) => typeof value === "function");
  // node:http calls it without arguments, or with an error, which memory does not have.
  if (callback) process.nextTick(callback as () => void);
}

function isEncoding(value: unknown): value is BufferEncoding {
  return typeof value === "string" && Buffer.isEncoding(value);
}

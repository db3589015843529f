/**
 * A client that is still sending when its connection closes never reads the response: it sees a broken pipe, and a
 * proxy answers 502. So after a 413 the rest of the body is read and discarded, within limits, before the close.
 */
import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { SECOND_MS } from "@/lib/time";

const DISCARD_MS = 2 * SECOND_MS;
const DISCARD_BYTES = 64 * 1_048_576;

/** A copy of the response. Its body and connection end after the rest of the request has been discarded. */
export async function answerTooLarge(answer: Response, request: Request): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set("Connection", "close");
  // The client has the complete response before the body stream ends.
  headers.set("Content-Length", String(bytes.length));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes);
      await discard(request.body ?? []);
      controller.close();
    },
  });
  return new Response(body, { status: answer.status, headers });
}

/** Reads and discards the rest of a request body, for at most two seconds or 64 MB. */
export async function discardRequestBody(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  await discard(request.iterator({ destroyOnReturn: false }));
}

/** Reads and drops the rest of a body. Never rejects, because a client that disconnects sends no rest. */
async function discard(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const read = async () => {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > DISCARD_BYTES) return;
    }
  };
  await Promise.race([read().catch(() => undefined), pause(DISCARD_MS, undefined, { ref: false })]);
}

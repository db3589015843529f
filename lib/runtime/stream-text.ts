import pLimit from "p-limit";
import { MINUTE_MS } from "@/lib/time";
import { processWide } from "./process-wide";

/** A client that reads nothing for this many ms is disconnected. */
const IDLE_MS = MINUTE_MS;

/**
 * Streams text as a response body. Each piece is made after the client has taken the piece before. Only one piece is
 * made at a time in this process, in the order of the requests, because making a piece takes many times its size in
 * memory. `onEnd` is called once, however the response ends.
 */
export function streamText(
  pieces: AsyncGenerator<string, void>,
  onEnd: () => void = () => undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let idle: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = () => {
    clearTimeout(idle);
    if (!isOver) onEnd();
    isOver = true;
  };
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(idle);
      try {
        const { value, done } = await inTurn(() => pieces.next());
        if (isOver) return;
        if (done) {
          end();
          controller.close();
          return;
        }
        idle = setTimeout(() => {
          end();
          controller.error(new Error("the client has disconnected"));
          void pieces.return();
        }, IDLE_MS).unref();
        controller.enqueue(encoder.encode(value));
      } catch (error) {
        end();
        throw error;
      }
    },
    async cancel() {
      end();
      await pieces.return();
    },
  });
}

/** Runs `make` after earlier calls have finished: one at a time in this process. */
const inTurn = <T>(make: () => Promise<T>): Promise<T> => processWide("stream-maker", () => pLimit(1))(make);

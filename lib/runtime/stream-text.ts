import pLimit from "p-limit";
import { MINUTE_MS } from "@/lib/time";
import { processWide } from "./process-wide";

/** A reader that takes nothing for this long has gone. */
const IDLE_MS = MINUTE_MS;

/**
 * Pieces of text as the body of an answer: each is made when the browser has taken the one before. In the process one is
 * made at a time, in the order in which they were asked for: what a piece needs while it is made is many times its own
 * size. `onEnd` is called once, however the answer ends.
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
          controller.error(new Error("the reader has gone"));
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

/** One piece is made at a time in this process. */
const inTurn = <T>(make: () => Promise<T>): Promise<T> => processWide("stream-maker", () => pLimit(1))(make);

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { type AnswerMessage, type DeliveryMessage, errorCodeOf } from "./payment-messages";

/** Delivers a platform's bytes to a replica. Rejects with the replica's error, or with an error of the same `code`. */
export type Deliver = (platform: PaymentAdapterName, bytes: Buffer) => Promise<unknown>;

/** Repeats a delivery up to ten times after a lock timeout, for which a platform would get 503 and send it again. */
export const retryOnLockTimeout =
  <A extends unknown[], R>(deliver: (...delivery: A) => Promise<R>): ((...delivery: A) => Promise<R>) =>
  async (...delivery) => {
    for (let left = 10; ; left--)
      try {
        return await deliver(...delivery);
      } catch (error) {
        if (errorCodeOf(error) !== "55P03" || left === 0) throw error;
      }
  };

/** Starts a second process of the service on the same database, to which `deliver` sends payment deliveries. */
export async function startPaymentProcess(): Promise<{ deliver: Deliver; stop: () => Promise<void> }> {
  const child = fork(fileURLToPath(new URL("payment-process.ts", import.meta.url)), {
    execArgv: ["--import", "tsx"],
  });
  await once(child, "message");
  const waiting = new Map<number, (answer: AnswerMessage) => void>();
  child.on("message", (answer: AnswerMessage) => waiting.get(answer.id)?.(answer));
  let sent = 0;
  return {
    deliver: async (platform, bytes) => {
      const id = ++sent;
      const answered = new Promise<AnswerMessage>((done) => waiting.set(id, done));
      child.send({ id, platform, body: bytes.toString("base64") } satisfies DeliveryMessage);
      const { code, message } = await answered;
      waiting.delete(id);
      if (message !== undefined) throw Object.assign(new Error(message), { code });
    },
    stop: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

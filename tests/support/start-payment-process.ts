import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { type AnswerMessage, type DeliveryMessage, errorCodeOf } from "./payment-messages";

/** Delivers bytes to a replica. Rejects with the replica's error, or an error with its `code`. */
export type Deliver = (platform: PaymentAdapterName, bytes: Buffer) => Promise<unknown>;

/** On a busy machine a lock can take longer than its timeout: then the platform gets 503 and sends the bytes again. */
export const retryOnLockTimeout =
  (deliver: Deliver): Deliver =>
  async (platform, bytes) => {
    for (let left = 10; ; left--)
      try {
        return await deliver(platform, bytes);
      } catch (error) {
        if (errorCodeOf(error) !== "55P03" || left === 0) throw error;
      }
  };

/** A second process of the service on the same database. */
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

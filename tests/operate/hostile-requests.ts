import { drawApiRequest, type Secrets } from "@/tests/fuzz/make-request";
import { sendMangledRequest, sendRequest } from "@/tests/fuzz/send-request";
import { Dice } from "@/tests/support/dice";

const LANES = 4;
/** Node's errors when a server refuses a body and closes before reading all of it. */
const CLOSED_EARLY = new Set(["EPIPE", "ECONNRESET"]);
/** Statuses with which Go's HTTP server, which Caddy uses, answers bytes that it cannot parse. */
const UNREADABLE = new Set([501, 505]);
const UNANSWERED = { status: null, text: "" };
/** Whether Go's HTTP server answered, which refuses a path with an invalid encoding before Caddy's configuration applies. */
const isGosOwn = (status: number, text: string) => status === 400 && text === "400 Bad Request";
/** Paths on which every error has the API's format. */
const INTERFACE = /^\/(?:api|webhooks|admin\/keys|admin\/ingest)(?:\/|\?|$)/;

/**
 * Sends hostile requests to the replica or proxy at a port, a third of them with changed bytes. Throws if one hangs or
 * gets a 5xx, or if the API refuses one without JSON with code and request id. Returns the number of unchanged requests
 * that were refused.
 */
export async function sendHostileRequests(
  port: number,
  secrets: Secrets,
  { seed, requests, isProxy }: { seed: number; requests: number; isProxy: boolean },
): Promise<number> {
  let next = 0;
  let refused = 0;
  const lane = async () => {
    while (next < requests) {
      const dice = new Dice(seed + next++);
      const wanted = drawApiRequest(dice, secrets);
      const isHealth = wanted.target.includes("health");
      const told = `${wanted.method} ${wanted.target.slice(0, 200)} (seed ${seed}, request ${next})`;
      if (dice.chance(0.33)) {
        const sent = sendMangledRequest(port, wanted, dice);
        // After a refusal nginx keeps the connection open for five seconds to read the rest of the request.
        const { status, text } = await (isProxy ? sent.catch(() => UNANSWERED) : sent);
        if (
          status !== null &&
          status >= 500 &&
          !(isProxy && UNREADABLE.has(status)) &&
          !isHealth &&
          !text.includes('"status":"')
        )
          throw new Error(`${told}: ${text.slice(0, 400)}`);
        continue;
      }
      // Node's client sends CONNECT only to open a tunnel.
      if (wanted.method === "CONNECT") continue;
      const answer = await sendRequest(port, wanted).catch((error: NodeJS.ErrnoException) => {
        if (CLOSED_EARLY.has(error.code ?? "")) return null;
        throw new Error(`${told}: ${error.message}`);
      });
      if (answer === null || answer.status < 400) continue;
      refused++;
      if (answer.status >= 500 && !isHealth) throw new Error(`${told}: ${answer.status} ${answer.text}`);
      const { code, request_id } = (answer.json ?? {}) as Record<string, unknown>;
      const isRight = typeof code === "string" && typeof request_id === "string";
      if (isProxy && isGosOwn(answer.status, answer.text)) continue;
      if (INTERFACE.test(wanted.target) && !isHealth && wanted.method !== "HEAD" && !isRight)
        throw new Error(`${told}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return refused;
}

import type { Database } from "@/db/client";
import { recordDelivery } from "@/db/queries/deliveries";
import type { Actor } from "@/lib/runtime/audit";
import { emailHash, emailTag, type LogFields, log } from "@/lib/runtime/log";
import { encrypt } from "@/lib/runtime/secrets";
import { AppError } from "@/lib/wire/errors";
import { writeJson } from "@/lib/wire/json";
import { applyDelivery } from "./apply-delivery";
import { bodyDigest, type PaymentDelivery, parseDelivery } from "./delivery";
import type { Answer, InboxAction, InboxFlag, Outcome } from "./outcome";

/**
 * Receives a body whose signature is right: one transaction records it in the inbox, applies it and queues the mail, so
 * that a crash leaves either everything or nothing, and the platform's retry ends in the same state.
 *
 * Returns the body of the 200. Throws 400 `invalid_payload`, after recording it, for a body that cannot be read.
 */
export async function receiveDelivery(database: Database, body: Uint8Array, actor: Actor): Promise<Answer> {
  const digest = bodyDigest(body);
  const delivery = await parseOrRecord(database, body, digest);
  const recorded = await database.transaction(async (tx) => {
    const outcome = await applyDelivery(tx, delivery, { actor, bodyDigest: digest });
    const row = await recordDelivery(tx, {
      ...inboxRow(body, digest),
      event: delivery.event,
      invoiceId: delivery.invoiceId,
      emailHash: delivery.buyer && emailHash(delivery.buyer.emailNormalized),
      ...outcomeColumns(outcome),
    });
    return { deliveryId: row.id, repeated: row.nReceived > 1, outcome };
  });
  logDelivery(delivery, recorded, actor);
  return recorded.outcome.answer;
}

async function parseOrRecord(database: Database, body: Uint8Array, digest: string): Promise<PaymentDelivery> {
  try {
    return parseDelivery(body, new Date());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { id: deliveryId } = await database.transaction((tx) =>
      recordDelivery(tx, {
        ...inboxRow(body, digest),
        event: null,
        invoiceId: null,
        emailHash: null,
        action: "rejected" satisfies InboxAction,
        reason: error.code,
        flags: ["unreadable" satisfies InboxFlag],
        answer: { code: error.code },
      }),
    );
    log("warn", "a signed payment delivery could not be read", { deliveryId, reason: error.code });
    throw error;
  }
}

/** The bytes themselves, so that applying them again later uses exactly what was received. */
function inboxRow(body: Uint8Array, digest: string) {
  return { bodyDigest: digest, payloadEncrypted: encrypt(Buffer.from(body).toString("base64")) };
}

/** The columns of the inbox for the result of a delivery. */
export function outcomeColumns({ answer, flags }: Outcome) {
  // Written as on the wire, so that the inbox shows the answer that the platform got.
  const written: unknown = JSON.parse(writeJson(answer));
  return {
    action: answer.action,
    reason: answer.action === "ignored" ? answer.reason : null,
    flags: [...new Set<string>(flags)],
    answer: written,
  };
}

/** Ids of this form cannot hide an address. */
const PLAIN_ID = /^[A-Za-z0-9_:-]{1,80}$/;

function logDelivery(
  delivery: PaymentDelivery,
  recorded: { deliveryId: number; outcome: Outcome; repeated: boolean },
  actor: Actor,
): void {
  const { answer, flags } = recorded.outcome;
  const fields: LogFields = {
    requestId: "requestId" in actor ? actor.requestId : undefined,
    deliveryId: recorded.deliveryId,
    invoiceId: PLAIN_ID.test(delivery.invoiceId) ? delivery.invoiceId : undefined,
    action: answer.action,
    reason: answer.action === "ignored" ? answer.reason : recorded.repeated ? "repeated" : undefined,
    keyId: "key_id" in answer ? answer.key_id : undefined,
    count: "keys_revoked" in answer ? answer.keys_revoked : undefined,
    email: delivery.buyer ? emailTag(delivery.buyer.emailNormalized) : undefined,
  };
  log(flags.length > 0 ? "warn" : "info", "payment delivery", fields);
}

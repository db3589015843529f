import type { Database, DatabaseHandle } from "@/db/client";
import {
  countPaymentDeliveries,
  findPaymentDeliveryPayload,
  listPaymentDeliveries,
  type PaymentDeliveryFilter,
  updatePaymentDeliveryOutcome,
} from "@/db/queries/payment-deliveries";
import { findNewestSubscription } from "@/db/queries/subscriptions";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { shortEmailHash } from "@/lib/runtime/log";
import { decrypt } from "@/lib/runtime/secrets";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { normalizeEmail } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";
import { adapterOf, sandboxAdapterOf } from "./adapters/find-adapter";
import { applyDelivery } from "./apply-delivery";
import type { Money } from "./delivery";
import { findDeliveryAddress } from "./find-delivery-address";
import type { DeliveryAnswer } from "./outcome";
import { outcomeColumns } from "./receive-delivery";
import { readStoredDelivery } from "./stored-deliveries";

type StoredRow = Awaited<ReturnType<typeof listPaymentDeliveries>>[number];

/** A stored delivery without its payload, but with the amount and the buyer's name read from it. */
export interface DeliveryRow extends Omit<StoredRow, "payloadEncrypted"> {
  /** null: the delivery states none, or cannot be read. */
  total: Money | null;
  /** Empty: the delivery names none, or cannot be read. */
  buyerName: string;
}

/**
 * One page of the inbox, newest first, without payloads; `total` counts all matches. A search for an address
 * compares four digits of its hash, because addresses are stored encrypted; two addresses may share these digits.
 */
export async function listDeliveries(
  handle: DatabaseHandle,
  asked: PaymentDeliveryFilter & { limit: number; offset: number },
): Promise<{ total: number; deliveries: DeliveryRow[] }> {
  const filter = asked.q?.includes("@")
    ? { ...asked, qHash: shortEmailHash(normalizeEmail(asked.q)) }
    : asked;
  const [total, rows] = await Promise.all([
    countPaymentDeliveries(handle, filter),
    listPaymentDeliveries(handle, filter),
  ]);
  const deliveries = rows.map(({ payloadEncrypted, ...row }) => {
    const read = readStoredDelivery({ ...row, payloadEncrypted });
    return { ...row, total: read?.total ?? null, buyerName: read?.buyerName ?? "" };
  });
  return { total, deliveries };
}

/** The subscriber with the address to which a delivery leads (`findDeliveryAddress`); null: none. */
export async function findDeliverySubscriber(
  handle: DatabaseHandle,
  deliveryId: number,
): Promise<{ subscriptionId: number; userName: string } | null> {
  const address = await findDeliveryAddress(handle, deliveryId);
  return address === null ? null : findNewestSubscription(handle, address);
}

/** The body of a delivery as received, for the administrator. Reading it is audited. Throws not_found. */
export async function revealDelivery(database: Database, deliveryId: number, actor: Actor): Promise<string> {
  return database.transaction(async (tx) => {
    const body = await openPayload(tx, deliveryId);
    await recordAudit(tx, { actor, action: "payment.payload_read", target: `delivery/${deliveryId}` });
    return new TextDecoder().decode(body.bytes);
  });
}

/**
 * Applies a stored delivery again by the present rules, as if its bytes were new. An invoice that was applied already
 * is not applied twice, but its plan can follow the product table (`followProduct`). The row shows the new result.
 * Throws not_found, invalid_payload for a body that cannot be read, and conflict if the address of the payment's
 * customer is not known yet.
 */
export async function reapplyDelivery(
  database: Database,
  deliveryId: number,
  actor: Actor,
): Promise<DeliveryAnswer> {
  return database.transaction(async (tx) => {
    const body = await openPayload(tx, deliveryId);
    const adapter = adapterOf(body.adapter);
    const read = (body.isTest ? sandboxAdapterOf(adapter) : adapter).read(body.bytes, body.receivedAt);
    const { delivery, outcome } = await applyDelivery(
      tx,
      { ...read, paidAt: read.paidAt ?? body.receivedAt },
      { actor, bodyDigest: null, formerFlags: body.flags },
    );
    await updatePaymentDeliveryOutcome(tx, deliveryId, {
      ...outcomeColumns(outcome),
      reappliedAt: new Date(),
    });
    await recordAudit(tx, {
      actor,
      action: "payment.reapply",
      target: `delivery/${deliveryId}`,
      details: { invoiceId: delivery.invoiceId, action: outcome.answer.action },
    });
    return outcome.answer;
  });
}

async function openPayload(
  handle: DatabaseHandle,
  deliveryId: number,
): Promise<{
  adapter: PaymentAdapterName;
  bytes: Uint8Array;
  receivedAt: Date;
  isTest: boolean;
  flags: string[];
}> {
  const row = await findPaymentDeliveryPayload(handle, deliveryId);
  if (!row) throw new AppError("not_found", { detail: "There is no delivery with this id." });
  const { payloadEncrypted, ...facts } = row;
  return { ...facts, bytes: Buffer.from(decrypt(payloadEncrypted), "base64") };
}

import { z } from "zod";
import type { Database, Handle } from "@/db/client";
import {
  countDeliveries,
  type DeliveryFilter,
  findDeliveryPayload,
  listDeliveryRows,
  updateDeliveryOutcome,
} from "@/db/queries/deliveries";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { emailHash } from "@/lib/runtime/log";
import { decrypt } from "@/lib/runtime/secrets";
import { normalizeEmail } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";
import { applyDelivery } from "./apply-delivery";
import { parseDelivery } from "./delivery";
import type { Answer } from "./outcome";
import { outcomeColumns } from "./receive-delivery";

type StoredRow = Awaited<ReturnType<typeof listDeliveryRows>>[number];

/** A delivery without its payload, but for the amount of its first item as the platform wrote it. */
export interface DeliveryRow extends Omit<StoredRow, "payloadEncrypted"> {
  amount: number | null;
}

/**
 * One page of the inbox, newest first, without payloads; `total` counts all that match. A search for an address compares
 * its hash, the only form in which it is stored in clear: two addresses may share one.
 */
export async function listDeliveries(
  handle: Handle,
  asked: DeliveryFilter & { limit: number; offset: number },
): Promise<{ total: number; deliveries: DeliveryRow[] }> {
  const filter = asked.q?.includes("@") ? { ...asked, qHash: emailHash(normalizeEmail(asked.q)) } : asked;
  const [total, rows] = await Promise.all([
    countDeliveries(handle, filter),
    listDeliveryRows(handle, filter),
  ]);
  const deliveries = rows.map(({ payloadEncrypted, ...row }) => ({
    ...row,
    amount: amountOf(payloadEncrypted),
  }));
  return { total, deliveries };
}

const Priced = z.object({ data: z.object({ items: z.array(z.object({ amount: z.number() })).min(1) }) });

/** What the first item of a stored payload cost; null where it says no such thing. */
function amountOf(payloadEncrypted: string): number | null {
  try {
    const text = Buffer.from(decrypt(payloadEncrypted), "base64").toString("utf8");
    return Priced.parse(JSON.parse(text)).data.items[0]?.amount ?? null;
  } catch {
    // Not every signed body is a payment, and one that was sealed with another key cannot be opened.
    return null;
  }
}

/** The body of a delivery as it was received, for the administrator. Reading it is audited. Throws not_found. */
export async function revealDelivery(database: Database, deliveryId: number, actor: Actor): Promise<string> {
  return database.transaction(async (tx) => {
    const body = await openPayload(tx, deliveryId);
    await recordAudit(tx, { actor, action: "payment.payload_read", target: `delivery/${deliveryId}` });
    return new TextDecoder().decode(body.bytes);
  });
}

/**
 * Applies a stored delivery once more by the rules of today, as if these bytes had never been seen. An invoice that was
 * applied already still does nothing twice (decision 72). The row shows the new result. Throws not_found, and
 * invalid_payload for a body that cannot be read.
 */
export async function reapplyDelivery(database: Database, deliveryId: number, actor: Actor): Promise<Answer> {
  return database.transaction(async (tx) => {
    const body = await openPayload(tx, deliveryId);
    const delivery = parseDelivery(body.bytes, body.receivedAt);
    const outcome = await applyDelivery(
      tx,
      { ...delivery, paidAt: delivery.paidAt ?? body.receivedAt },
      { actor, bodyDigest: null },
    );
    await updateDeliveryOutcome(tx, deliveryId, { ...outcomeColumns(outcome), reappliedAt: new Date() });
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
  handle: Handle,
  deliveryId: number,
): Promise<{ bytes: Uint8Array; receivedAt: Date }> {
  const row = await findDeliveryPayload(handle, deliveryId);
  if (!row) throw new AppError("not_found", { detail: "There is no delivery with this id." });
  return { bytes: Buffer.from(decrypt(row.payloadEncrypted), "base64"), receivedAt: row.receivedAt };
}

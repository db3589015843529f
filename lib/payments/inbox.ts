import type { Database, Handle } from "@/db/client";
import {
  countDeliveries,
  type DeliveryFilter,
  findDeliveryPayload,
  listDeliveryRows,
  updateDeliveryOutcome,
} from "@/db/queries/deliveries";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { decrypt } from "@/lib/runtime/secrets";
import { AppError } from "@/lib/wire/errors";
import { applyDelivery } from "./apply-delivery";
import { parseDelivery } from "./delivery";
import type { Answer } from "./outcome";
import { outcomeColumns } from "./receive-delivery";

export type DeliveryRow = Awaited<ReturnType<typeof listDeliveryRows>>[number];

/** One page of the inbox, newest first, without payloads; `total` counts all that match. */
export async function listDeliveries(
  handle: Handle,
  filter: DeliveryFilter & { limit: number; offset: number },
): Promise<{ total: number; deliveries: DeliveryRow[] }> {
  const [total, deliveries] = await Promise.all([
    countDeliveries(handle, filter),
    listDeliveryRows(handle, filter),
  ]);
  return { total, deliveries };
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

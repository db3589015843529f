import type { Database, DatabaseHandle } from "@/db/client";
import {
  deletePaymentDeliveries,
  deletePlatformCustomers,
  listRecentlyErasedSubscriptions,
  listUnfinishedDeletions,
  readPaymentDeliveryWatermark,
  readPersonIdentifiers,
  revokeEveryKey,
} from "@/db/queries/accounts";
import { lockBuyerAddresses } from "@/db/queries/payments";
import { erasePerson, type PersonToErase } from "@/db/queries/personal-data";
import { lockSubscription } from "@/db/queries/subscriptions";
import { sweepLocalOutbox } from "@/lib/outbound/mail/sweep-local-outbox";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { findPersonalCustomerRecords, findPersonalPaymentDeliveries } from "./find-personal-data";

/** Subscription id of the owner of the installation, who is not a customer. */
const OWNER = 0;

/**
 * Deletes the account behind a subscription, with every subscription of the same address. Revokes the keys in one
 * transaction, deletes the stored deliveries of payment platforms, then erases all other personal data in a second
 * transaction. Executions and invoices stay, without personal data. Calling it twice does no harm. `finishDeletions`
 * completes a deletion that a crash interrupted, if its account request is stored.
 */
export async function deleteAccount(database: Database, subscriptionId: number, actor: Actor): Promise<void> {
  if (subscriptionId === OWNER) throw new Error("the owner of the installation has no account to delete");
  await database.transaction(async (tx) => {
    const { subscriptionIds, addresses } = await readPersonIdentifiers(tx, subscriptionId);
    // Payments lock the same addresses, so a concurrent payment runs entirely before or after this transaction.
    await lockBuyerAddresses(tx, addresses);
    for (const id of subscriptionIds) await lockSubscription(tx, id);
    for (const keyId of await revokeEveryKey(tx, subscriptionIds))
      await recordAudit(tx, { actor, action: "account.revoke", target: `key/${keyId}`, subscriptionId });
  });
  await erase(database, subscriptionId, actor);
}

/**
 * Completes deletions of stored, confirmed account requests that a crash interrupted. Also erases data of accounts
 * deleted in the last hour that was written too late, such as the heartbeat of a call buffered in another process.
 */
export async function finishDeletions(database: Database): Promise<void> {
  for (const subscriptionId of await listUnfinishedDeletions(database))
    await deleteAccount(database, subscriptionId, { kind: "worker" });
  const subscriptionIds = await listRecentlyErasedSubscriptions(database);
  if (subscriptionIds.length === 0) return;
  await database.transaction((tx) => erasePerson(tx, { subscriptionIds, addresses: [] }));
  // The account may have been deleted by a process on another machine, which cannot reach this machine's mail files.
  await sweepLocalOutbox(database, env().dataDir);
}

async function erase(database: Database, subscriptionId: number, actor: Actor): Promise<void> {
  const who = await readPersonIdentifiers(database, subscriptionId);
  const settled = await readPaymentDeliveryWatermark(database);
  await deletePayloads(database, who, 0);
  await database.transaction(async (tx) => {
    await lockBuyerAddresses(tx, who.addresses);
    for (const id of who.subscriptionIds) {
      await lockSubscription(tx, id);
      await recordAudit(tx, {
        actor,
        action: "account.delete",
        target: `subscription/${id}`,
        subscriptionId: id,
      });
    }
    // Also deletes deliveries that arrived after the first pass. The lock on the addresses now excludes payments; a
    // payment after this transaction creates a new customer.
    await deletePayloads(tx, who, settled);
    // Last, because it also removes the address from the audit rows written above.
    await erasePerson(tx, who);
  });
  await sweepLocalOutbox(database, env().dataDir);
  log("info", "an account was deleted", { count: who.subscriptionIds.length });
}

/**
 * Deletes the stored deliveries of payment platforms about a person whose id is above `afterDelivery`, and all customer
 * records of the person.
 */
async function deletePayloads(
  handle: DatabaseHandle,
  who: PersonToErase,
  afterDelivery: number,
): Promise<void> {
  for await (const found of findPersonalPaymentDeliveries(handle, who, afterDelivery))
    if (found.length > 0)
      await deletePaymentDeliveries(
        handle,
        found.map(({ id }) => id),
      );
  for await (const found of findPersonalCustomerRecords(handle, who))
    if (found.length > 0)
      await deletePlatformCustomers(
        handle,
        found.map(({ id }) => id),
      );
}

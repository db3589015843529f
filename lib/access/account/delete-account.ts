import type { Database, Handle } from "@/db/client";
import {
  deleteCustomers,
  deleteDeliveries,
  findPerson,
  findSettledDelivery,
  listErasedLately,
  listUnfinishedDeletions,
  revokeEveryKey,
} from "@/db/queries/accounts";
import { lockEmail } from "@/db/queries/payments";
import { erasePerson, type PersonToErase } from "@/db/queries/personal-data";
import { lockSubscription } from "@/db/queries/subscriptions";
import { sweepLocalOutbox } from "@/lib/outbound/mail/sweep-local-outbox";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { findCustomers, findDeliveries } from "./find-payloads";

/** The owner of the installation is no customer of it. */
const OWNER = 0;

/**
 * Deletes the account behind a subscription: every subscription of the same address. First its keys end, in the
 * transaction of `claim`; then what payment platforms sent is looked through; then everything else that names the person
 * goes at once. Executions and invoices stay without a person. Twice does no harm, and what a crash leaves is finished by
 * `finishDeletions`.
 */
export async function deleteAccount(database: Database, subscriptionId: number, actor: Actor): Promise<void> {
  if (subscriptionId === OWNER) throw new Error("the owner of the installation has no account to delete");
  await database.transaction(async (tx) => {
    const { subscriptionIds, addresses } = await findPerson(tx, subscriptionId);
    // As a payment does, so that one that arrives now is before this or after it.
    for (const address of addresses.toSorted()) await lockEmail(tx, address);
    for (const id of subscriptionIds) await lockSubscription(tx, id);
    for (const keyId of await revokeEveryKey(tx, subscriptionIds))
      await recordAudit(tx, { actor, action: "account.revoke", target: `key/${keyId}`, subscriptionId });
  });
  await erase(database, subscriptionId, actor);
}

/**
 * Takes up again what a crash interrupted, and erases once more what came a moment too late, such as the heartbeat of a
 * call that another process had still to write.
 */
export async function finishDeletions(database: Database): Promise<void> {
  for (const subscriptionId of await listUnfinishedDeletions(database))
    await deleteAccount(database, subscriptionId, { kind: "worker" });
  const subscriptionIds = await listErasedLately(database);
  if (subscriptionIds.length === 0) return;
  await database.transaction((tx) => erasePerson(tx, { subscriptionIds, addresses: [] }));
  // Also those that a process on another machine has no folder of.
  await sweepLocalOutbox(database, env().dataDir);
}

async function erase(database: Database, subscriptionId: number, actor: Actor): Promise<void> {
  const who = await findPerson(database, subscriptionId);
  const settled = await findSettledDelivery(database);
  await deletePayloads(database, who, 0);
  await database.transaction(async (tx) => {
    for (const address of who.addresses.toSorted()) await lockEmail(tx, address);
    for (const id of who.subscriptionIds) {
      await lockSubscription(tx, id);
      await recordAudit(tx, {
        actor,
        action: "account.delete",
        target: `subscription/${id}`,
        subscriptionId: id,
      });
    }
    // What a payment brought since: with its address held none is under way, and the next is somebody new.
    await deletePayloads(tx, who, settled);
    // The rows above lose their address with all the others.
    await erasePerson(tx, who);
  });
  await sweepLocalOutbox(database, env().dataDir);
  log("info", "an account was deleted", { count: who.subscriptionIds.length });
}

/** What payment platforms sent about a person, after a delivery; the few customers always. */
async function deletePayloads(handle: Handle, who: PersonToErase, afterDelivery: number): Promise<void> {
  for await (const found of findDeliveries(handle, who, afterDelivery))
    if (found.length > 0)
      await deleteDeliveries(
        handle,
        found.map(({ id }) => id),
      );
  for await (const found of findCustomers(handle, who))
    if (found.length > 0)
      await deleteCustomers(
        handle,
        found.map(({ id }) => id),
      );
}

import type { Database } from "@/db/client";
import {
  deleteCustomers,
  deleteDeliveries,
  findPerson,
  listErasedLately,
  listUnfinishedDeletions,
  revokeEveryKey,
} from "@/db/queries/accounts";
import { lockEmail } from "@/db/queries/payments";
import { erasePerson } from "@/db/queries/personal-data";
import { lockSubscription } from "@/db/queries/subscriptions";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
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
}

async function erase(database: Database, subscriptionId: number, actor: Actor): Promise<void> {
  const who = await findPerson(database, subscriptionId);
  for await (const found of findDeliveries(database, who))
    if (found.length > 0)
      await deleteDeliveries(
        database,
        found.map(({ id }) => id),
      );
  for await (const found of findCustomers(database, who))
    if (found.length > 0)
      await deleteCustomers(
        database,
        found.map(({ id }) => id),
      );
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
    // The rows above lose their address with all the others.
    await erasePerson(tx, who);
  });
  log("info", "an account was deleted", { count: who.subscriptionIds.length });
}

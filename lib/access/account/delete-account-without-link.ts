import { randomBytes } from "node:crypto";
import type { Database, Transaction } from "@/db/client";
import { insertAccountRequest, updateAccountRequest } from "@/db/queries/accounts";
import { lockSubscription } from "@/db/queries/subscriptions";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { sha256 } from "@/lib/runtime/secrets";
import { AppError } from "@/lib/wire/errors";
import { deleteAccount } from "./delete-account";

/** Subscription id of the owner of the installation, who is not a customer. */
const OWNER = 0;

/**
 * Deletes the account of a person who asked the operator for it in writing, with the same result as a deletion in the
 * portal. Throws not_found.
 */
export async function deleteAccountOnWrittenRequest(
  database: Database,
  subscriptionId: number,
  actor: Actor,
): Promise<void> {
  await deleteAccountWithoutLink(database, subscriptionId, actor, async (tx) => {
    if (subscriptionId === OWNER || !(await lockSubscription(tx, subscriptionId)))
      throw new AppError("not_found", { detail: "There is no subscriber with this id." });
    await recordAudit(tx, {
      actor,
      action: "account.delete_by_letter",
      target: `subscription/${subscriptionId}`,
      subscriptionId,
    });
  });
}

/**
 * Deletes an account without a mailed link. The request is stored as confirmed first, so that `finishDeletions` can
 * complete the deletion after a crash. `before` runs in the transaction that stores it.
 */
export async function deleteAccountWithoutLink(
  database: Database,
  subscriptionId: number,
  actor: Actor,
  before: (tx: Transaction) => Promise<void> = async () => undefined,
): Promise<void> {
  await database.transaction(async (tx) => {
    await before(tx);
    const requestId = await insertAccountRequest(tx, {
      subscriptionId,
      kind: "delete",
      // A random token that is never sent: no link confirms this request.
      tokenHash: sha256(randomBytes(32).toString("base64url")),
      minutes: 1,
    });
    await updateAccountRequest(tx, requestId, { confirmed: "present" });
  });
  await deleteAccount(database, subscriptionId, actor);
}

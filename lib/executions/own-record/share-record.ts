import { randomBytes } from "node:crypto";
import type { Database, DatabaseHandle } from "@/db/client";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { deleteRecordLink, findSharedRecord, writeRecordLink } from "@/db/queries/record-links";
import { UTC_CLOCK } from "@/lib/market/clock";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { sha256 } from "@/lib/runtime/secrets";
import { windowCache } from "@/lib/runtime/window-cache";
import { addMs, MINUTE_MS } from "@/lib/time";
import { type OwnRecord, readOwnRecord } from "./read-own-record";

/** Days that a shared record and its badge cover. */
export const SHARED_DAYS = 90;
const KEPT = 64;
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/**
 * Creates the link to a subscription's own record and replaces a former one. Returns its token, of which
 * `record_links` has only the hash.
 */
export async function shareRecord(database: Database, subscriptionId: number, actor: Actor): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  await database.transaction(async (tx) => {
    await writeRecordLink(tx, { subscriptionId, tokenHash: sha256(token) });
    await recordAudit(tx, { ...audited(subscriptionId, actor), action: "record_link.make" });
  });
  return token;
}

/** Ends the link to a subscription's own record, if there is one. */
export async function withdrawRecordLink(
  database: Database,
  subscriptionId: number,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteRecordLink(tx, subscriptionId))) return;
    await recordAudit(tx, { ...audited(subscriptionId, actor), action: "record_link.withdraw" });
  });
}

const audited = (subscriptionId: number, actor: Actor) => ({
  actor,
  target: `subscription/${subscriptionId}`,
  subscriptionId,
});

/** The public part of a record: sums over signals whose horizon has ended, without names. */
export type SharedRecord = Pick<OwnRecord, "from" | "isCut" | "decomposition" | "calibration" | "nOthers">;

/**
 * The record of a link; null without a link, or if the subscription's access has ended. The link is looked up
 * each time, so that it can end at once; the figures are cached for a minute.
 */
export async function findSharedRecordOf(
  handle: DatabaseHandle,
  token: string,
  accessOf: ComputeReceiverAccess,
  now: Date,
): Promise<SharedRecord | null> {
  if (!TOKEN.test(token)) return null;
  const found = await findSharedRecord(handle, sha256(token));
  const access = found && accessOf(found);
  if (!access) return null;
  const { subscriptionId, subscribedAt } = found;
  const { scope } = access;
  // Not in the demo: its signals of the past were created at once, so they would be left out.
  const madeInTime = env().marketFeed !== "demo";
  return windowCache<SharedRecord>("shared-record", KEPT).get(
    `${subscriptionId} ${JSON.stringify([scope.symbols, scope.timeframes, scope.parts])}`,
    0,
    now,
    async () => {
      const wanted = { subscriptionId, subscribedAt, scope, days: SHARED_DAYS, clock: UTC_CLOCK, madeInTime };
      const { from, isCut, decomposition, calibration, nOthers } = await readOwnRecord(handle, wanted, now);
      return {
        value: { from, isCut, decomposition, calibration, nOthers },
        validUntil: addMs(now, MINUTE_MS),
      };
    },
  );
}

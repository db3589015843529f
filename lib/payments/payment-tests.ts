import type { Database, Handle } from "@/db/client";
import { lockSettings, readSetting, writeSetting } from "@/db/queries/settings";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { PAYMENT_TESTS, PaymentTests } from "@/lib/runtime/setting-documents";

/** Whether test events of the platforms give access, as real payments do; unset: they do not. */
export async function readPaymentTests(handle: Handle): Promise<PaymentTests> {
  const stored = await readSetting<unknown>(handle, PAYMENT_TESTS);
  return stored === null ? { giveAccess: false } : PaymentTests.parse(stored);
}

/** Chooses whether test events give access, from the next delivery on. */
export async function choosePaymentTests(
  database: Database,
  after: PaymentTests,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockSettings(tx);
    const before = await readPaymentTests(tx);
    if (before.giveAccess === after.giveAccess) return;
    await writeSetting(tx, PAYMENT_TESTS, after);
    await recordAudit(tx, {
      actor,
      action: "setting.change",
      target: `setting/${PAYMENT_TESTS}`,
      details: { before, after },
    });
  });
}

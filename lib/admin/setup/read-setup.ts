import { db } from "@/db/client";
import { readBackupHistory } from "@/db/queries/backup-state";
import { listPlans } from "@/db/queries/plans";
import { isSetupHidden, readSetupProgress } from "@/db/queries/setup-progress";
import { listSymbolsWithGuessedCalendar, listSymbolsWithoutCost } from "@/db/queries/symbols";
import { readSlotOverviews } from "@/lib/admin/read-slot-overviews";
import { backupAge, backupPlan } from "@/lib/health/backup-age";
import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { env } from "@/lib/runtime/env";
import { settingInForce } from "@/lib/settings/registry";
import { type SetupStep, setupSteps } from "./steps";

/**
 * The setup steps of this installation, and whether an owner has hidden them. `configuredPlatforms` are the
 * payment platforms with a secret.
 */
export async function readSetup(
  now: Date,
  configuredPlatforms: readonly string[],
): Promise<{ steps: SetupStep[]; isHidden: boolean }> {
  const [facts, isHidden, plans, brand, slots, guessedSymbols, costlessSymbols, backups] = await Promise.all([
    readSetupProgress(db()),
    isSetupHidden(db()),
    listPlans(db()),
    settingInForce(db(), "brand"),
    readSlotOverviews(now),
    listSymbolsWithGuessedCalendar(db()),
    listSymbolsWithoutCost(db()),
    readBackupHistory(db()),
  ]);
  const steps = setupSteps({
    ...facts,
    baseUrl: env().baseUrl,
    transport: mailTransport().name,
    brandName: brand.name,
    plans,
    hasBot: hasTelegramBot(),
    shopUrl: brand.shopUrl,
    configuredPlatforms,
    slots,
    guessedSymbols,
    costlessSymbols,
    backup: backupAge(backupPlan(), backups, now),
  });
  return { steps, isHidden };
}

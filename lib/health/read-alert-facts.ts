import { statfs } from "node:fs/promises";
import type { DatabaseHandle } from "@/db/client";
import { countRecentDeadLetters, readSignatureFailureRun } from "@/db/queries/alerts";
import { readBackupHistory } from "@/db/queries/backup-state";
import { listOpenIncidents } from "@/db/queries/incidents";
import { countClients } from "@/db/queries/subscribers";
import { isMarketOpen } from "@/lib/market/calendar";
import { env } from "@/lib/runtime/env";
import { backupAge, backupPlan } from "./backup-age";
import { parseReason } from "./health-reason";
import { listLateOperatorModels } from "./late-operator-models";
import { componentName } from "./read-status-page";

/** Reads the facts that decide which alerts are sent. */
export async function readAlertFacts(handle: DatabaseHandle, now: Date) {
  const [incidents, refusals, dead, backups, disk, clients, late] = await Promise.all([
    listOpenIncidents(handle),
    readSignatureFailureRun(handle),
    countRecentDeadLetters(handle),
    readBackupHistory(handle),
    readDisk(),
    countClients(handle),
    listLateOperatorModels(handle, now),
  ]);
  return {
    now,
    incidents: incidents.map(({ component, severity, reasons }) => ({
      component: componentName(component),
      severity,
      reasons: reasons.map((stored) => parseReason(stored).text),
    })),
    refusals,
    dead,
    backup: backupAge(backupPlan(), backups, now),
    disk,
    clients,
    lateModels: late.map(({ symbol, timeframe, modelV }) => `${symbol} ${timeframe} (${modelV})`),
    isMarketOpen: isMarketOpen("fx", now),
  };
}

/** Space on the disk of DATA_DIR; null: unreadable. */
async function readDisk(): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(env().dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

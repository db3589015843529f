import type { z } from "zod";
import { db } from "@/db/client";
import { listSignalsInScope } from "@/db/queries/signal-windows";
import type { AccountSignals } from "../api/contracts/signals";
import type { Scope } from "../plans";
import { signalItem } from "./signal-item";

const DAY_MS = 86_400_000;

type AccountSignal = z.output<typeof AccountSignals>["signals"][number];

/** Signals in scope whose candle closed in the last days, newest first. */
export async function listAccountSignals(
  scope: Scope,
  wanted: { days: number; limit: number; includeNoTrade: boolean },
  now: Date,
): Promise<AccountSignal[]> {
  const since = new Date(now.getTime() - wanted.days * DAY_MS);
  const rows = await listSignalsInScope(db(), { scope, since, ...wanted });
  return rows.map((row) => ({ ...signalItem(row), created_at: row.createdAt }));
}

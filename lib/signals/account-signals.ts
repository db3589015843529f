import type { z } from "zod";
import { db } from "@/db/client";
import { listSignalsInScope } from "@/db/queries/signal-windows";
import type { Scope } from "@/lib/access/plans";
import { writeBody } from "@/lib/api/answer";
import { candleCloseMs, parseTimeframe } from "@/lib/market/timeframes";
import { windowCache } from "@/lib/runtime/window-cache";
import { AccountSignals } from "@/lib/wire/contracts/signals";
import { signalItem } from "./signal-item";

const DAY_MS = 86_400_000;
const MAX_BODIES = 200;

type AccountSignal = z.output<typeof AccountSignals>["signals"][number];

interface SignalsRequest {
  scope: Scope;
  days: number;
  limit: number;
  includeNoTrade: boolean;
}

/** The body of `/api/account/signals`, kept until a signal arrives or the oldest one in it leaves the window. */
export function getAccountSignalsBody(
  wanted: SignalsRequest & { version: number },
  now: Date,
): Promise<string> {
  const { days, limit, includeNoTrade } = wanted;
  const key = `${wanted.scope.id}|${days}|${limit}|${includeNoTrade}`;
  return windowCache<string>("account-signals", MAX_BODIES).get(key, wanted.version, now, async () => {
    const signals = await listAccountSignals(wanted, now);
    const value = writeBody(AccountSignals, { count: signals.length, days, signals });
    const earliestMs = Math.min(...signals.map(closeMs));
    return { value, validUntil: signals.length === 0 ? null : new Date(earliestMs + days * DAY_MS) };
  });
}

/** Signals in scope whose candle closed in the last days, newest first. */
export async function listAccountSignals(wanted: SignalsRequest, now: Date): Promise<AccountSignal[]> {
  const since = new Date(now.getTime() - wanted.days * DAY_MS);
  const rows = await listSignalsInScope(db(), { ...wanted, since });
  return rows.map((row) => ({ ...signalItem(row), created_at: row.createdAt }));
}

function closeMs(signal: AccountSignal): number {
  const timeframe = parseTimeframe(signal.timeframe);
  return timeframe ? candleCloseMs(signal.ts.getTime(), timeframe) : signal.ts.getTime();
}

import type { DatabaseHandle } from "@/db/client";
import { countOverdueCommitments, listOverdueCommitments, type OverdueCommitment } from "@/db/queries/ledger";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { openMinutesBetween, openMinutesOfDay } from "@/lib/market/calendar";
import { currentDayOverrides } from "@/lib/market/day-overrides";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { isSimulated } from "@/lib/signals/record/is-simulated";
import { DAY_MS, MINUTE_MS, minutesBetween } from "@/lib/time";
import { delayContent, type LedgerContent } from "./contents";

/** The reason for a delay is entered when a reveal is overdue by this much: earlier than `WITHHELD_AFTER_HOURS`. */
const REASON_AFTER_HOURS = 20;
/** A commitment whose reveal is overdue by this much, without a reason, counts as withheld. */
const WITHHELD_AFTER_HOURS = 24;
const DELAYS_PER_TURN = 1_000;

/** Entries with the reasons why overdue commitments cannot be revealed yet. */
export async function listDelayContents(handle: DatabaseHandle, now: Date): Promise<LedgerContent[]> {
  const overdue = await listOverdueCommitments(handle, {
    horizonCandles: OUTCOME_RULE.horizonCandles,
    hours: REASON_AFTER_HOURS,
    limit: DELAYS_PER_TURN,
  });
  return overdue.map((late) =>
    delayContent(
      late,
      closedCandles(late, now) < OUTCOME_RULE.horizonCandles
        ? "market_closed"
        : late.isOffered
          ? "candles_missing"
          : "slot_withdrawn",
      late.wasSimulated ?? isSimulated(late),
    ),
  );
}

/** Number of commitments whose reveal is more than a day overdue and that have no reason for the delay. */
export function countWithheldCommitments(handle: DatabaseHandle): Promise<number> {
  return countOverdueCommitments(handle, {
    horizonCandles: OUTCOME_RULE.horizonCandles,
    hours: WITHHELD_AFTER_HOURS,
  });
}

/** Maximum number of candles that can have closed in a slot since the signal's candle, by the trading calendar. */
function closedCandles({ calendar, timeframe, closesAt }: OverdueCommitment, now: Date): number {
  const minutes = timeframeMinutes(timeframe);
  if (minutes * MINUTE_MS < DAY_MS) return openMinutesBetween(calendar, closesAt, now) / minutes;
  if (timeframe !== "D1") return minutesBetween(closesAt, now) / minutes;
  const days = currentDayOverrides();
  let open = 0;
  for (let atMs = closesAt.getTime(); atMs + DAY_MS <= now.getTime(); atMs += DAY_MS)
    if (openMinutesOfDay(days, calendar, new Date(atMs).toISOString().slice(0, 10)) > 0) open++;
  return open;
}

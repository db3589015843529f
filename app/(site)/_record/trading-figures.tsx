import { countWithNoun, formatNumber, formatSigned } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDay, formatSpan } from "@/app/_components/times";
import { NEWEST_TRADES, type SideFigures, type TradeFigures } from "@/lib/signals/record/read-trades";
import { simulateAccount } from "@/lib/signals/record/simulate-account";
import { DAY_MS } from "@/lib/time";
import type { PublicRecord } from "@/lib/wire/contracts/record";

/** Percentage of its starting balance that the example account risks on each trade. */
const RISK_PCT = 1;
const RISK_NOTE = `${RISK_PCT} % risk a trade`;
const RISK_HINT = `An account that risks ${RISK_PCT} % of its starting balance on every signal of every slot (1 R = ${RISK_PCT} %), without compounding. By UTC day.`;
const DAYS_PER_WEEK = 7;

/** `n` trades per week between the first and the last day of the record; null for less than a week. */
export function tradesPerWeek(
  { first_day: first, last_day: last }: Pick<PublicRecord, "first_day" | "last_day">,
  n: number,
): number | null {
  if (first === null || last === null) return null;
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  return days < DAYS_PER_WEEK ? null : (n * DAYS_PER_WEEK) / days;
}

/**
 * Figures that traders compare: growth and drawdown of an account, frequency, holding time, direction, extremes.
 * `trades`: the newest trades of the record's period; null if none of its trades is among the newest.
 */
export function TradingFigures({ record, trades }: { record: PublicRecord; trades: TradeFigures | null }) {
  const { growthPct, drawdownPct } = simulateAccount(
    record.curve.map(({ r }) => r),
    RISK_PCT,
  );
  const { n, max_drawdown_r: drawdownR } = record.total.model;
  const ofStart = formatNumber(RISK_PCT * drawdownR, 1);
  const perWeek = tradesPerWeek(record, n);
  const newest = trades && `${trades.n === n ? "all" : "newest"} ${countWithNoun(trades.n, "trade")}`;
  const without = n === 0 ? undefined : `known for the newest ${NEWEST_TRADES} trades only`;
  const newestHint =
    trades && `Of ${trades.n === n ? "" : "the "}${newest}, since ${formatDay(trades.since)}.`;
  const openHint = trades
    ? ` Trades overlap: up to ${countWithNoun(trades.mostOpen, "trade")} of the newest were open at once, so that much was at risk together.`
    : "";
  return (
    <StatRow columns={6} label="What traders ask first">
      <Stat
        label="Growth"
        value={<MoneyText value={growthPct} digits={0} mark={false} />}
        unit="%"
        n={n}
        note={RISK_NOTE}
        hint={RISK_HINT + openHint}
      />
      <Stat
        label="Drawdown by day"
        value={formatNumber(drawdownPct, 1)}
        unit="%"
        n={n}
        note={`of the account's highest balance, ${RISK_NOTE}; ${ofStart} % of the starting balance`}
        hint={`The deepest fall of the balance below its highest so far, in percent of that highest balance. The largest drawdown in R, ${formatNumber(drawdownR, 1)} R, is ${ofStart} % of the starting balance: an account that begins just before it loses that much. ${RISK_HINT}${openHint}`}
      />
      <Stat
        label="Trades a week"
        value={perWeek === null ? "–" : formatPerWeek(perWeek)}
        n={n}
        note={trades ? `up to ${formatNumber(trades.mostOpen)} open at once` : "all slots"}
        hint="Trades of all slots together, from the first day of the record to the last."
      />
      <Stat
        label="Holding time"
        value={trades ? formatSpan(trades.meanHeldMinutes) : "–"}
        note={trades ? `mean of ${trades.n === n ? "" : "the "}${newest}` : without}
        hint={`From the close of the signal's candle to the exit, by the clock: closed markets included. ${newestHint ?? ""}`}
      />
      <Stat
        label="Buys and sells"
        value={trades ? `${formatNumber(trades.buy.n)} : ${formatNumber(trades.sell.n)}` : "–"}
        note={trades ? `${sumOf(trades.buy)} and ${sumOf(trades.sell)}, ${newest}` : without}
        hint={`The number of buys and sells, and the total of each in R. ${newestHint ?? ""}`}
      />
      <Stat
        label="Best and worst"
        value={
          trades ? `${formatSigned(trades.best.resultR, 1)} : ${formatSigned(trades.worst.resultR, 1)}` : "–"
        }
        {...(trades && { unit: "R" })}
        note={newest ?? without}
        hint={`The largest win and the largest loss of a single trade. ${newestHint ?? ""}`}
      />
    </StatRow>
  );
}

/** Trades a week, with a decimal only below 10. */
export const formatPerWeek = (perWeek: number): string => formatNumber(perWeek, perWeek < 10 ? 1 : 0);

const sumOf = ({ totalR }: SideFigures) => `${formatSigned(totalR, 1)} R`;

import type { MessageSignal } from "@/db/queries/telegram-queue";
import { clockOffsetLabel, type WallClock, wallTime } from "@/lib/market/clock";
import { signalValidUntil } from "@/lib/market/freshness";
import { priceDigits } from "@/lib/market/price-digits";
import type { Direction } from "@/lib/vocabulary";

const DIRECTION: Record<Direction, string> = { BUY: "BUY", SELL: "SELL", NO_TRADE: "NO TRADE" };
const SIMULATED = "Simulated market.";

/**
 * The text of a message: one signal in detail, or a digest with a line for each. Known results are included. A digest
 * ends with the ledger's head, for readers to keep. Plain text, so that nothing is parsed as markup.
 */
export function formatSignalsMessage(
  signals: readonly MessageSignal[],
  {
    clock,
    simulated,
    ledgerHead = null,
  }: { clock: WallClock; simulated: boolean; ledgerHead?: string | null },
): string {
  const [only] = signals;
  const lines =
    only !== undefined && signals.length === 1
      ? atLength(only, clock)
      : [`${signals.length} signals`, ...signals.map((signal) => inOneLine(signal, clock))];
  const witness = ledgerHead === null || signals.length === 1 ? [] : [`Ledger head ${ledgerHead}`];
  return [...lines, ...(simulated ? [SIMULATED] : []), ...witness].join("\n");
}

function atLength(signal: MessageSignal, clock: WallClock): string[] {
  const prices = formatPrices(signal);
  const result = formatResult(signal);
  return [
    `${signal.symbol} ${signal.timeframe}: ${DIRECTION[signal.signal]}`,
    `Probability ${formatPercent(signal.confidence)}`,
    ...(prices === null ? [] : [prices]),
    `Valid until ${until(signal, clock)}`,
    ...(result === null ? [] : [`Result: ${result}`]),
  ];
}

function inOneLine(signal: MessageSignal, clock: WallClock): string {
  const prices = formatPrices(signal);
  const result = formatResult(signal);
  return [
    `${signal.symbol} ${signal.timeframe} ${DIRECTION[signal.signal]} ${formatPercent(signal.confidence)}`,
    ...(prices === null ? [] : [prices.toLowerCase()]),
    result === null ? `until ${until(signal, clock)}` : `result: ${result}`,
  ].join(", ");
}

export const formatPercent = (share: number): string => `${Math.round(100 * share)} %`;

/** Target and stop with enough digits to tell them apart; null without prices. */
export function formatPrices({
  targetPrice,
  stopPrice,
  digits: symbolDigits,
}: Pick<MessageSignal, "targetPrice" | "stopPrice" | "digits">): string | null {
  if (stopPrice === null) return null;
  const digits = priceDigits(symbolDigits, [targetPrice, stopPrice]);
  const stop = `stop ${stopPrice.toFixed(digits)}`;
  return targetPrice === null
    ? `Stop ${stopPrice.toFixed(digits)}`
    : `Target ${targetPrice.toFixed(digits)}, ${stop}`;
}

function until(signal: MessageSignal, clock: WallClock): string {
  const at = signalValidUntil(signal, signal.ts);
  const wall = wallTime(clock, at).toISOString();
  return `${wall.slice(0, 10)} ${wall.slice(11, 16)} ${clockOffsetLabel(clock, at)}`;
}

const ENDS = { TP: "target reached", SL: "stop reached", TIMEOUT: "time over" } as const;
const TOUCHED: Record<Direction, string> = {
  BUY: "the market went up first",
  SELL: "the market went down first",
  NO_TRADE: "neither side was reached",
};

/** The result of a signal in words; null while it is open. */
export function formatResult({
  label,
  resultR,
  exitReason,
}: Pick<MessageSignal, "label" | "resultR" | "exitReason">): string | null {
  if (label === null) return null;
  if (resultR === null || exitReason === null) return TOUCHED[label];
  const sign = resultR < 0 ? "−" : "+";
  return `${ENDS[exitReason]}, ${sign}${Math.abs(resultR).toFixed(2)} R`;
}

import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber } from "@/app/_components/figures";
import { formatRegime } from "@/app/portal/_components/format-regime";
import { RemainingValidity } from "@/app/portal/_components/live";
import { priceDigits } from "@/lib/market/price-digits";
import { paths } from "@/lib/paths";
import type { ActionableSlot } from "@/lib/signals/list-slot-views";
import type { SignalPrices } from "@/lib/signals/signal-prices";

/** An actionable signal: its direction, prices and remaining validity. */
export function SignalCard({ slot, prices }: { slot: ActionableSlot; prices: SignalPrices | undefined }) {
  const { signal } = slot;
  return (
    <a
      href={paths.portalSlot(slot.symbol, slot.timeframe)}
      className="flex flex-col gap-3 rounded-lg border bg-raised p-4 hover:border-edge"
    >
      <span className="flex items-start justify-between gap-3">
        <span className="text-base font-semibold">
          {slot.symbol} <span className="font-normal text-muted">{slot.timeframe}</span>
        </span>
        <DirectionMark direction={signal.signal} weight="loud" />
      </span>
      <SignalPriceList prices={prices} digits={slot.digits} />
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs text-muted">
        <ConfidenceBar value={signal.confidence} />
        <span>{formatRegime(signal.regime)}</span>
        <RemainingValidity until={slot.validUntil} />
      </span>
    </a>
  );
}

/** Entry, stop and target of a signal. */
export function SignalPriceList({
  prices,
  digits: symbolDigits,
}: {
  prices: SignalPrices | undefined;
  digits: number;
}) {
  const digits = priceDigits(symbolDigits, [prices?.entryPrice, prices?.stopPrice, prices?.targetPrice]);
  const rows = [
    ["Entry", prices?.entryPrice, ""],
    ["Stop", prices?.stopPrice, "text-down"],
    ["Target", prices?.targetPrice, "text-up"],
  ] as const;
  return (
    <span className="grid grid-cols-3 gap-2 text-sm">
      {rows.map(([name, price, className]) => (
        <span key={name}>
          <span className="block text-xs text-muted">{name}</span>
          <span className={`font-medium tabular-nums ${className}`}>
            {price == null ? "–" : formatNumber(price, digits)}
          </span>
        </span>
      ))}
    </span>
  );
}

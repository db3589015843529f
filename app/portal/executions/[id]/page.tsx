import { ArrowLeft } from "lucide-react";
import { Badge } from "@/app/_components/badge";
import { Card } from "@/app/_components/card";
import { CandleChart } from "@/app/_components/chart/candle-chart";
import type { PositionFillMark } from "@/app/_components/chart/candle-drawing";
import { indexOfCandle, toChartCandles } from "@/app/_components/chart/candle-paths";
import { DirectionMark } from "@/app/_components/direction-mark";
import { EmptyState } from "@/app/_components/empty-state";
import { FactList, type FactListItem } from "@/app/_components/fact-list";
import { formatNumber, formatShare, formatSigned } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatSpan } from "@/app/_components/times";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { formatRegime } from "@/app/portal/_components/format-regime";
import { RefreshWhenNews } from "@/app/portal/_components/live";
import { MissingPage } from "@/app/portal/_components/missing-page";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { signalPriceLevels } from "@/app/portal/_components/signal-levels";
import { db } from "@/db/client";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { type PositionFigures, positionFigures } from "@/lib/executions/position-figures";
import { type PositionWithCandles, readPosition } from "@/lib/executions/read-position";
import { valuePositions } from "@/lib/executions/value-positions";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { priceDigits } from "@/lib/market/price-digits";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { cachedSignalPrices, type SignalPrices, signalPrices } from "@/lib/signals/signal-prices";
import { signalVisibilityOf } from "@/lib/signals/visible-closes";
import { MINUTE_MS, minutesBetween } from "@/lib/time";

export const metadata = { title: "Position" };

const MAX_DIGITS = 8;

/** A position: its candles, its signal, and the differences between the two. */
export default async function PositionPage({ params }: { params: Promise<{ id: string }> }) {
  const subscriber = await requireSubscriber();
  const { id } = await params;
  if (!/^[1-9][0-9]{0,14}$/.test(id)) return <MissingPage />;
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const { subscriptionId } = subscriber;
  const seen = signalVisibilityOf(subscriber.scope, now);
  const read = await readPosition(db("heavy"), { subscriptionId, executionId: Number(id), seen }, now);
  if (read === null) return <MissingPage />;
  const { execution, signal, chart, held } = read;
  const prices = signal ? ((await signalPrices(db("heavy"), [signal])).get(signal.predId) ?? null) : null;
  const [entryPrice, exitPrice] = [execution.entryPrice, execution.closedAt && execution.exitPrice].map(
    (price) => (price === null || Number(price) === 0 ? null : Number(price)),
  );
  const position = {
    side: execution.signal,
    openedAt: execution.openedAt,
    closedAt: execution.closedAt,
    entryPrice: entryPrice ?? null,
    exitPrice: exitPrice ?? null,
  };
  const distance = prices && Math.abs(prices.entryPrice - prices.stopPrice);
  const figures = positionFigures(
    position,
    signal && {
      closesAt: signal.closesAt,
      prices: prices && distance ? { entryPrice: prices.entryPrice, distance } : null,
    },
    held?.candles ?? { high: new Float64Array(), low: new Float64Array() },
  );
  const digits = priceDigits(
    read.digits ?? Math.min(MAX_DIGITS, (execution.entryPrice?.split(".")[1] ?? "").length),
    [Number(execution.entryPrice), Number(execution.exitPrice)],
  );
  const isOpen = execution.closedAt === null;
  const value = isOpen
    ? (await valuePositions(db("heavy"), { subscriptionId, seen }, [execution], cachedSignalPrices)).get(
        execution.executionId,
      )
    : undefined;
  const inR = (value: number | null) => (value === null || !distance ? null : value / distance);
  const price = (value: number | null) => (value === null ? "–" : formatNumber(value, digits));
  /** Formats the largest move against or with the position: in R if the signal's stop distance is known, else in price. */
  const extent = (value: number | null) => {
    const r = inR(value);
    return r === null ? price(value) : `${formatNumber(r, 2)} R`;
  };
  const here = paths.portalPosition(execution.executionId);

  return (
    <>
      <PageHeader
        title={`${execution.symbol} ${execution.timeframe}`}
        eyebrow={
          <a
            href={paths.portalExecutionList()}
            className="inline-flex min-h-6 items-center gap-1 hover:text-ink"
          >
            <ArrowLeft aria-hidden="true" className="size-3.5" /> Positions
          </a>
        }
        lead={
          <span className="inline-flex flex-wrap items-center gap-3">
            <DirectionMark direction={execution.signal} />
            {execution.closedAt === null ? (
              <Badge tone="accent">open</Badge>
            ) : (
              execution.result && <Badge>{execution.result}</Badge>
            )}
            <span>Ticket {execution.ticket}</span>
          </span>
        }
        actions={<ClockSwitch clock={clock} back={here} now={now} />}
      />
      <RefreshWhenNews
        executions={subscriber.versions.executions}
        // An open position is valued at the newest candle.
        {...(isOpen && { signals: subscriber.versions.signals })}
      />
      <div className="space-y-6">
        {execution.clockSuspect && (
          <Notice tone="warn" title="The times of this position look like the broker's clock sent as UTC">
            The candles, the delay and the price moves of this position are left out.
          </Notice>
        )}
        <StatRow label="This position" columns={6}>
          <Stat
            label={isOpen ? "P/L now" : "P/L"}
            value={<MoneyText value={isOpen ? (value?.money ?? null) : amountOf(execution.pnl)} />}
            hint={
              isOpen
                ? "At the newest price, worth what your newest closed positions of this symbol brought for each lot. Without commission and swap of this one."
                : undefined
            }
            note={
              execution.clockSuspect
                ? "times contradict each other"
                : `held ${formatSpan(minutesBetween(execution.openedAt, execution.closedAt ?? now))}`
            }
          />
          <Stat
            label={isOpen ? "Result now" : "Result"}
            value={<MoneyText value={isOpen ? (value?.r ?? null) : inR(figures.move)} unit="R" />}
            hint="The move from your entry to your exit over the signal's distance to its stop (D = 2 x ATR 14), without commission and swap."
            note={
              value?.market ? (
                <>
                  at {price(value.market.price)},{" "}
                  <PortalTime at={value.market.closedAt} clock={clock} now={now} />
                </>
              ) : signal?.resultR == null ? (
                signal ? (
                  "the signal's result is not known yet"
                ) : (
                  "no signal to compare with"
                )
              ) : (
                `the signal itself: ${formatSigned(signal.resultR)} R`
              )
            }
          />
          <Stat
            label="Slippage"
            value={figures.slippage === null ? "–" : formatSigned(-figures.slippage, digits)}
            hint="Your entry against the signal's, the close of its candle. Less than 0 is worse than the signal's."
            note={formatR(inR(figures.slippage === null ? null : -figures.slippage))}
          />
          <Stat
            label="Delay"
            value={figures.delayMs === null || execution.clockSuspect ? "–" : formatDelay(figures.delayMs)}
            hint="From the close of the signal's candle to your opening."
            note={signal ? "after the candle closed" : undefined}
          />
          <Stat
            label="Against it (MAE)"
            value={extent(figures.adverse)}
            hint="The deepest move against the position while it was held, by the stored candles; the first and the last candle count in full."
            note={moveNote(inR(figures.adverse) === null ? null : price(figures.adverse), read)}
          />
          <Stat
            label="With it (MFE)"
            value={extent(figures.favourable)}
            hint="The farthest move in its favour while it was held, by the stored candles; the first and the last candle count in full."
            note={moveNote(inR(figures.favourable) === null ? null : price(figures.favourable), read)}
          />
        </StatRow>
        <Card title="Candles" lead="Your entry and exit, and the signal's prices.">
          {chart ? (
            <PositionChart
              read={{ ...read, chart }}
              prices={prices}
              figures={figures}
              entryPrice={position.entryPrice}
              exitPrice={position.exitPrice}
              digits={digits}
              clock={clock}
            />
          ) : (
            <EmptyState title="No candles for this time">
              No candles are stored for the time of this position.
            </EmptyState>
          )}
        </Card>
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card
            title="The signal it followed"
            lead={
              signal
                ? execution.predId === null
                  ? "Your EA did not name it: it was the newest signal of this slot when the position was opened."
                  : "Named by your EA."
                : undefined
            }
          >
            {signal ? (
              <FactList
                facts={[
                  { name: "Signal", value: <DirectionMark direction={signal.signal} /> },
                  {
                    name: `Candle, ${clockOffsetLabel(clock, signal.ts)}`,
                    value: (
                      <a href={paths.portalSlot(signal.symbol, signal.timeframe)} className="link">
                        <PortalTime at={signal.ts} clock={clock} />
                      </a>
                    ),
                  },
                  { name: "Confidence", value: formatShare(signal.confidence, 1) },
                  { name: "Regime", value: formatRegime(signal.regime) },
                  { name: "Entry", value: price(prices?.entryPrice ?? null) },
                  { name: "Stop", value: price(prices?.stopPrice ?? null) },
                  { name: "Target", value: price(prices?.targetPrice ?? null) },
                  { name: "Model", value: <span className="break-all">{signal.modelV}</span> },
                ]}
              />
            ) : (
              <p className="text-sm text-muted">
                {execution.predId === null
                  ? "Your EA named no signal, and your plan had none of this slot and direction when the position was opened."
                  : `Your EA named signal ${execution.predId}, which is not one of this slot and direction, or not in your plan.`}
              </p>
            )}
          </Card>
          <Card
            title="As your EA reported it"
            lead={`Times in ${clockOffsetLabel(clock, execution.openedAt)}.`}
          >
            <FactList facts={reportFacts(read, price, clock)} />
          </Card>
        </div>
      </div>
    </>
  );
}

function reportFacts(
  { execution }: PositionWithCandles,
  price: (value: number | null) => string,
  clock: ReturnType<typeof clockOf>,
): FactListItem[] {
  const amount = (text: string | null) => price(text === null ? null : Number(text));
  return [
    { name: "Ticket", value: execution.ticket },
    ...(execution.symbolSent === execution.symbol
      ? []
      : [{ name: "Broker's symbol", value: execution.symbolSent }]),
    { name: "Opened", value: <PortalTime at={execution.openedAt} clock={clock} /> },
    { name: "Closed", value: <PortalTime at={execution.closedAt} clock={clock} empty="still open" /> },
    { name: "Entry", value: amount(execution.entryPrice) },
    { name: "Exit", value: amount(execution.exitPrice) },
    { name: "Result", value: execution.result ?? "–" },
    ...(
      [
        ["P/L", inCurrency(execution.pnl, execution.currency)],
        ["Volume", execution.volume === null ? null : `${execution.volume} lots`],
        ["Commission", inCurrency(execution.commission, execution.currency)],
        ["Swap", inCurrency(execution.swap, execution.currency)],
        ["Magic number", execution.magic],
        ["Comment", execution.comment],
      ] as const
    ).flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
  ];
}

const inCurrency = (amount: string | null, currency: string | null) =>
  amount === null ? null : `${formatNumber(Number(amount), 2)}${currency === null ? "" : ` ${currency}`}`;

/** Candles with the signal's levels and the position's fills. */
function PositionChart({
  read: { execution, chart },
  prices,
  figures,
  entryPrice,
  exitPrice,
  digits,
  clock,
}: {
  read: PositionWithCandles & { chart: NonNullable<PositionWithCandles["chart"]> };
  prices: SignalPrices | null;
  figures: PositionFigures;
  entryPrice: number | null;
  exitPrice: number | null;
  digits: number;
  clock: ReturnType<typeof clockOf>;
}) {
  const { slot, candles: columns } = chart;
  const candles = toChartCandles(columns);
  // Entry and exit are drawn only if the candles match the position's symbol and clock: otherwise they would be at the
  // wrong place.
  const isPlaced = figures.adverse !== null;
  const fills: PositionFillMark[] = [];
  const fill = (kind: PositionFillMark["kind"], at: Date | null, price: number | null) => {
    const index = at && price !== null ? indexOfCandle(candles, slot.timeframe, at) : -1;
    if (index >= 0 && price !== null)
      fills.push({ kind, index, price, label: `your ${kind}`, isLabelled: true });
  };
  if (isPlaced) {
    fill("entry", execution.openedAt, entryPrice);
    fill("exit", execution.closedAt, exitPrice);
  }
  return (
    <CandleChart
      symbol={slot.symbol}
      timeframe={slot.timeframe}
      timeframeMinutes={timeframeMinutes(slot.timeframe)}
      candles={candles}
      levels={prices ? signalPriceLevels(prices) : []}
      fills={fills}
      digits={digits}
      clock={clock}
    />
  );
}

const formatR = (r: number | null) => (r === null ? undefined : `${formatSigned(r)} R`);

const formatDelay = (ms: number) =>
  ms < 0 ? `${formatSpan(-ms / MINUTE_MS)} before` : formatSpan(ms / MINUTE_MS);

function moveNote(price: string | null, { held, chart }: Pick<PositionWithCandles, "held" | "chart">) {
  const of = held
    ? `of ${held.slot.timeframe} candles`
    : chart
      ? "no candle while it was open"
      : "no candles stored";
  return price === null ? of : `${price} in price, ${of}`;
}

const amountOf = (text: string | null) => (text === null ? null : Number(text));

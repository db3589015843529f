import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";
import { BarChart, type ChartBar } from "@/app/_components/chart/bar-chart";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import type { ExecutionGroup } from "@/db/queries/execution-figures";
import { compareTimeframeCodes } from "@/lib/market/timeframes";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** P/L of closed positions by symbol and by timeframe, and by hour and by day of the week of the close. */
export function GroupCharts({
  bySymbol,
  byTimeframe,
  byHour,
  byWeekday,
  clockName,
  unit,
  hrefOf,
  calendar,
}: {
  bySymbol: readonly ExecutionGroup[];
  byTimeframe: readonly ExecutionGroup[];
  byHour: readonly ExecutionGroup[];
  byWeekday: readonly ExecutionGroup[];
  clockName: string;
  /** The currency of the amounts; null: the EA reports none. */
  unit: string | null;
  /** The address of the list of closed positions that a bar counts. */
  hrefOf: (of: {
    symbol?: string;
    timeframe?: string;
    closed_weekday?: string;
    closed_hour?: string;
  }) => string;
  /** Shown next to the days of the week. */
  calendar: ReactNode;
}) {
  return (
    <div className="grid gap-6 xl:grid-cols-2">
      {calendar}
      <GroupCard
        unit={unit}
        title="By day of the week"
        noun="day"
        header={`Day of the close, ${clockName}`}
        bars={everyKey(
          byWeekday,
          WEEKDAYS.map((_, index) => String(index + 1)),
          (key) => WEEKDAYS[Number(key) - 1] ?? key,
          (key) => hrefOf({ closed_weekday: key }),
        )}
      />
      <GroupCard
        unit={unit}
        title="By symbol"
        noun="symbol"
        header="Symbol"
        bars={barsOf(bySymbol, (symbol) => hrefOf({ symbol }))}
      />
      <GroupCard
        unit={unit}
        title="By timeframe"
        noun="timeframe"
        header="Timeframe"
        bars={barsOf(
          byTimeframe.toSorted((a, b) => compareTimeframeCodes(a.key, b.key)),
          (timeframe) => hrefOf({ timeframe }),
        )}
      />
      <div className="xl:col-span-2">
        <GroupCard
          unit={unit}
          title="By hour of the close"
          noun="hour"
          header={`Hour, ${clockName}`}
          bars={everyKey(
            byHour,
            Array.from({ length: 24 }, (_, hour) => String(hour)),
            (key) => key.padStart(2, "0"),
            (key) => hrefOf({ closed_hour: key }),
          )}
        />
      </div>
    </div>
  );
}

function GroupCard({
  title,
  noun,
  header,
  unit,
  bars,
}: {
  title: string;
  /** What a bar stands for. */
  noun: string;
  header: string;
  unit: string | null;
  bars: readonly ChartBar[];
}) {
  return (
    <Card title={title}>
      <BarChart
        name="P/L"
        unit={unit ?? "account currency"}
        signed
        digits={0}
        labelHeader={header}
        bars={bars}
        summary={summaryOf(title, noun, bars)}
        notes={`${header}. Click a bar to see its positions.${bars.length <= 7 ? " Below each bar: number of positions and win rate." : ""}`}
      />
    </Card>
  );
}

function barOf(group: ExecutionGroup, label: string, href: string): ChartBar {
  const { n, nWins, nLosses, totalPnl } = group;
  const nDecided = nWins + nLosses;
  return {
    label,
    value: Number(totalPnl),
    n,
    wins: nDecided === 0 ? undefined : { share: nWins / nDecided, n: nDecided },
    href,
  };
}

const barsOf = (groups: readonly ExecutionGroup[], hrefOf: (key: string) => string): ChartBar[] =>
  groups.map((group) => barOf(group, group.key, hrefOf(group.key)));

/** A bar for each key in order; keys without a position are gaps. */
function everyKey(
  groups: readonly ExecutionGroup[],
  keys: readonly string[],
  label: (key: string) => string,
  hrefOf: (key: string) => string,
): ChartBar[] {
  const byKey = new Map(groups.map((group) => [group.key, group]));
  return keys.map((key) => {
    const group = byKey.get(key);
    return group ? barOf(group, label(key), hrefOf(key)) : { label: label(key), value: null, n: 0 };
  });
}

/**
 * Describes a chart in a sentence. It names no best and no worst group, because even among equal groups luck makes one
 * the best and one the worst.
 */
function summaryOf(title: string, noun: string, bars: readonly ChartBar[]): string {
  const known = bars.flatMap(({ value }) => value ?? []);
  if (known.length === 0) return `${title}: nothing closed yet.`;
  const n = bars.reduce((sum, bar) => sum + (bar.n ?? 0), 0);
  const nInProfit = known.filter((value) => value > 0).length;
  return `${title}, ${countWithNoun(n, "position")}: ${formatNumber(nInProfit)} of ${countWithNoun(known.length, noun)} in profit.`;
}

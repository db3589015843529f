import type { ReactNode } from "react";
import { formatNumber, formatSigned } from "@/app/_components/figures";
import type { RecordForecasts, RecordResults } from "@/lib/wire/contracts/record";

type Interval = readonly [number, number] | null;

/** A figure with its interval and sample size below it. */
function FigureWithInterval({
  figure,
  ci95,
  write,
  n,
}: {
  figure: ReactNode;
  ci95: Interval;
  write: (value: number) => string;
  /** null if the sample size has its own column. */
  n: number | null;
}) {
  return (
    <span className="block leading-tight">
      {figure}
      <span className="block text-xs font-normal text-faint tabular-nums">
        {[
          ...(ci95 ? [`${write(ci95[0])} to ${write(ci95[1])}`] : []),
          ...(n === null ? [] : [`n\u00a0=\u00a0${formatNumber(n)}`]),
        ].join(", ")}
      </span>
    </span>
  );
}

const TOO_FEW = <span className="text-xs text-faint">too few results</span>;

/** Share of winners in percent with its 95 % interval. */
export function WinRate({ results, withN = true }: { results: RecordResults; withN?: boolean }) {
  const { enough, win_rate_pct: pct, win_rate_ci95: ci95, n } = results;
  const isKnown = enough && pct !== null;
  return (
    <FigureWithInterval
      figure={isKnown ? `${formatNumber(pct, 1)} %` : TOO_FEW}
      ci95={isKnown ? ci95 : null}
      write={(value) => formatNumber(value, 0)}
      n={withN ? n : null}
    />
  );
}

/** The win rate in parts for a headline figure. While there are too few results the rate is a dash. */
export function winRateOf({ enough, win_rate_pct: pct, win_rate_ci95: ci95 }: RecordResults): {
  pct: string;
  unit: "%" | null;
  interval: string;
} {
  if (!enough || pct === null) return { pct: "–", unit: null, interval: "too few results" };
  return {
    pct: formatNumber(pct, 1),
    unit: "%",
    interval: ci95 ? `95 % interval ${formatNumber(ci95[0], 0)} to ${formatNumber(ci95[1], 0)}` : "",
  };
}

/** The win rate in one line, for narrow places. */
export function winRateInLine({ enough, win_rate_pct: pct, win_rate_ci95: ci95 }: RecordResults): string {
  if (!enough || pct === null) return "too few results";
  const interval = ci95 ? ` (${formatNumber(ci95[0], 0)} to ${formatNumber(ci95[1], 0)})` : "";
  return `${formatNumber(pct, 1)} %${interval} won`;
}

/** Mean result in R with its 95 % interval. It is not coloured like a profit or a loss, because its sign may be luck. */
export function MeanResult({ results, withN = true }: { results: RecordResults; withN?: boolean }) {
  const { enough, expectancy_r: mean, expectancy_ci95: ci95, n } = results;
  const isKnown = enough && mean !== null;
  return (
    <FigureWithInterval
      figure={isKnown ? formatSigned(mean, 3) : TOO_FEW}
      ci95={isKnown ? ci95 : null}
      write={(value) => formatSigned(value, 2)}
      n={withN ? n : null}
    />
  );
}

/**
 * A skill as a signed percentage, `0.021` as `+2.1 %`, or why there is none. Signals with their own levels have no
 * class frequencies to compare with.
 */
export function Skill({ skill, enough }: { skill: number | null; enough: boolean }) {
  if (skill !== null) return `${formatSigned(skill * 100, 1)} %`;
  return enough ? <span className="text-xs text-faint">– own levels: no reference</span> : TOO_FEW;
}

/** Skill of the probabilities with its 95 % interval. */
export function SkillWithInterval({ forecasts }: { forecasts: RecordForecasts }) {
  const { enough, skill, skill_ci95: ci95, n } = forecasts;
  return (
    <FigureWithInterval
      figure={<Skill skill={skill} enough={enough} />}
      ci95={ci95 && [ci95[0] * 100, ci95[1] * 100]}
      write={(value) => formatSigned(value, 1)}
      n={n}
    />
  );
}

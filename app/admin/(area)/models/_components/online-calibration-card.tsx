import { Card } from "@/app/_components/card";
import { countWithNoun, formatNumber, formatShare } from "@/app/_components/figures";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDay } from "@/app/_components/times";
import type { StoredCalibration } from "@/db/queries/online-calibrations";
import { calibratedMoveProbability, type OnlineWeights } from "@/lib/engine/calibration/online";

const SAID = [0.2, 0.5, 0.8] as const;

/** P(move) after calibration without the effects of hour and weekend, where `said` is P(move) before it. */
const onAverage = ({ a, b }: OnlineWeights, said: number) =>
  calibratedMoveProbability({ a, b, c1: 0, c2: 0, d: 0 }, 1 - said, 0);

/** What online calibration makes of a P(move) of 20, 50 and 80 % now, and the range of that value over the stored days. */
export function OnlineCalibrationCard({ days }: { days: readonly StoredCalibration[] }) {
  const newest = days.at(-1);
  if (newest === undefined) return null;
  const { a, b, c1, c2, d, n, day } = newest;
  const swing = Math.hypot(c1, c2);
  const peakHour = Math.round((Math.atan2(c1, c2) / (2 * Math.PI)) * 24 + 24) % 24;
  const half = (shift: number) => formatShare(1 / (1 + Math.exp(-(a + shift))), 1);
  return (
    <Card
      title="Online calibration"
      lead="Adjusts P(move) every day to the outcomes of past forecasts: logit p' = a + b logit p, plus a daily wave in New York time and a shift on weekends. The newest 2,000 forecasts count most. BUY against SELL does not change."
    >
      <StatRow columns={6} label="Online calibration">
        {SAID.map((said) => {
          const becomes = days.map((one) => onAverage(one, said));
          return (
            <Stat
              key={said}
              label={`${formatShare(said, 0)} becomes`}
              value={formatShare(onAverage(newest, said), 1)}
              note={`${formatShare(Math.min(...becomes), 1)} to ${formatShare(Math.max(...becomes), 1)} in ${countWithNoun(days.length, "day")}`}
            />
          );
        })}
        <Stat
          label="50 % by hour"
          value={`${half(-swing)} to ${half(swing)}`}
          note={`highest at ${peakHour}:00 New York`}
          hint="What a forecast of 50 % becomes at the hours at which the daily wave is lowest and highest."
        />
        <Stat
          label="50 % on weekends"
          value={half(d)}
          note="Friday to Sunday 17:00 New York"
          hint="Without the daily wave. FX and metals do not trade then."
        />
        <Stat
          label="a and b"
          value={`${formatNumber(a, 2)}, ${formatNumber(b, 2)}`}
          n={n}
          note={`since ${formatDay(day)}`}
          hint="a = 0 and b = 1 change nothing. b above 1: the model was too timid; below 1: too bold. n: forecasts used, including the walk-forward."
        />
      </StatRow>
    </Card>
  );
}

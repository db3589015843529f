import { Card } from "@/app/_components/card";
import { counted, formatNumber, formatShare } from "@/app/_components/figures";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDay } from "@/app/_components/times";
import type { StoredCalibration } from "@/db/queries/online-calibrations";
import { calibratedMove } from "@/lib/engine/calibration/online";

const SAID = [0.2, 0.5, 0.8] as const;

/** What is made of a model's word on whether the market moves, and how far that has moved since it went to work. */
export function OnlineCalibrationCard({ days }: { days: readonly StoredCalibration[] }) {
  const newest = days.at(-1);
  if (newest === undefined) return null;
  const { a, b, n, day } = newest;
  return (
    <Card
      title="Online calibration"
      lead="How likely a move is, as the model says it, is brought each day to what its forecasts came to: logit p' = a + b logit p, the newest 4,000 forecasts counting most. The direction stays as it is."
    >
      <StatRow columns={4} label="Online calibration">
        {SAID.map((said) => {
          const becomes = days.map((one) => calibratedMove(one, 1 - said));
          return (
            <Stat
              key={said}
              label={`${formatShare(said, 0)} becomes`}
              value={formatShare(calibratedMove(newest, 1 - said), 1)}
              note={`${formatShare(Math.min(...becomes), 1)} to ${formatShare(Math.max(...becomes), 1)} in ${counted(days.length, "day")}`}
            />
          );
        })}
        <Stat
          label="a and b"
          value={`${formatNumber(a, 2)}, ${formatNumber(b, 2)}`}
          n={n}
          note={`since ${formatDay(day)}`}
          hint="0 and 1 change nothing. b above 1: the model was too timid; below 1: too bold. n: forecasts learnt from, those of the walk-forward included."
        />
      </StatRow>
    </Card>
  );
}

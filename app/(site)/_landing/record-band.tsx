import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { counted, formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDay } from "@/app/_components/times";
import { HypotheticalMark } from "@/app/(site)/_record/hypothetical";
import { MeanResult, Skill, WinRate } from "@/app/(site)/_record/rate";
import { WORDS } from "@/app/(site)/_record/words";
import { paths } from "@/lib/paths";
import type { PublicRecord } from "@/lib/wire/contracts/record";

/** What all signals came to, in a sentence and five figures that lead to the record. */
export function RecordBand({ record }: { record: PublicRecord }) {
  const { model, coin, forecasts } = record.total;
  return (
    <Card
      title="The record so far"
      headingLevel="h3"
      lead={
        record.count === 0 ? (
          "It counts signals that were committed in time, and begins when 12 later candles of the first one's slot have closed."
        ) : (
          <>
            {record.headline.text}{" "}
            {record.first_day && `Since ${formatDay(new Date(`${record.first_day}T00:00:00Z`))}. `}
            {record.coverage.pct !== null &&
              `${formatNumber(record.coverage.pct, 1)} % of ${counted(record.coverage.n_candles, "candle")} had a signal committed in time. `}
            <HypotheticalMark href={`${paths.record()}#hypothetical`} />.
          </>
        )
      }
      actions={
        <LinkButton href={paths.record()} size="small">
          See the record
        </LinkButton>
      }
    >
      {record.count > 0 && (
        <StatRow columns={5} label="Figures of the record">
          <Stat label="Followed signals" value={formatNumber(model.n)} hint={WORDS.followed.text} />
          <Stat label="Win rate" value={<WinRate results={model} />} hint={WORDS.interval.text} />
          <Stat label="Mean result, R" value={<MeanResult results={model} />} hint={WORDS.r.text} />
          <Stat
            label="Total beside the coin, R"
            value={<MoneyText value={model.total_r} digits={1} mark={false} />}
            note={
              <>
                coin <MoneyText value={coin.total_r} digits={1} mark={false} />
              </>
            }
            hint={WORDS.coin.text}
          />
          <Stat label="Skill" value={<Skill forecasts={forecasts} />} hint={WORDS.skill.text} />
        </StatRow>
      )}
    </Card>
  );
}

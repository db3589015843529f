import { describeRecordCosts } from "@/app/_components/describe-costs";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { GLOSSARY } from "@/app/_components/glossary";
import { MoneyText } from "@/app/_components/money-text";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDay } from "@/app/_components/times";
import { winRateOf } from "@/app/(site)/_record/figures-with-interval";
import { HypotheticalMark } from "@/app/(site)/_record/hypothetical";
import { paths } from "@/lib/paths";
import { summarizeRecord } from "@/lib/signals/record/summarize-record";
import type { PublicRecord } from "@/lib/wire/contracts/record";
import { EquityPicture } from "./equity-picture";

/** The result of all signals: the verdict, the curve compared with random entries, and three figures. */
export function ResultCard({ record }: { record: PublicRecord }) {
  const { model, coin } = record.total;
  const win = winRateOf(model);
  return (
    <section aria-labelledby="result" className="min-w-0 overflow-hidden rounded-lg border bg-raised">
      <div className="px-4 pt-4 sm:px-6 sm:pt-5">
        <h2 id="result" className="text-base">
          All slots together
          {record.first_day && (
            <span className="font-normal text-muted">
              , since {formatDay(new Date(`${record.first_day}T00:00:00Z`))}
            </span>
          )}
        </h2>
        <p className="mt-1.5 text-lg text-pretty">{summarizeRecord(record, { isWhole: true }).results}</p>
      </div>
      <div className="px-4 pt-3 pb-4 sm:px-6">
        <EquityPicture record={record} />
      </div>
      <StatRow columns={3} label="Result so far" className="grid-cols-1 rounded-none border-x-0 border-b-0">
        <Stat
          label="Total, R"
          value={<MoneyText value={model.total_r} digits={1} mark={false} />}
          n={model.n}
          note={
            <>
              random entries <MoneyText value={coin.total_r} digits={1} mark={false} />
            </>
          }
          hint={`${GLOSSARY.r.text} ${GLOSSARY.coin.text}`}
        />
        <Stat
          label="Win rate"
          value={win.pct}
          {...(win.unit && { unit: win.unit })}
          n={model.n}
          note={win.interval}
          hint={GLOSSARY.interval.text}
        />
        <Stat
          label="Drawdown by day, R"
          value={formatNumber(model.max_drawdown_r, 1)}
          n={model.n}
          note="largest so far"
          hint={GLOSSARY.drawdown.text}
        />
      </StatRow>
      <p className="flex flex-wrap justify-between gap-x-6 gap-y-1 border-t px-4 py-3 text-sm text-muted sm:px-6">
        <span>
          Results {describeRecordCosts(record.coverage)}.{" "}
          <HypotheticalMark href={`${paths.record()}#hypothetical`} />.
        </span>
        {record.notice === null && record.entered_later !== null && (
          <span>Not counted: {countWithNoun(record.entered_later.n, "signal")} entered later.</span>
        )}
        <a href={paths.record()} className="link">
          See the record
        </a>
      </p>
    </section>
  );
}

import { ChartLine } from "lucide-react";
import { connection } from "next/server";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { LineChart } from "@/app/_components/chart/line-chart";
import { EmptyState } from "@/app/_components/empty-state";
import { counted, formatNumber } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { periodWords, readShown, recordQuery, shownQuery } from "@/app/(site)/_record/address";
import { asOfLedger } from "@/app/(site)/_record/as-of-ledger";
import { CoverageCard, EnteredLater } from "@/app/(site)/_record/coverage";
import { equityCurves } from "@/app/(site)/_record/curves";
import { HypotheticalMark, HypotheticalStatement } from "@/app/(site)/_record/hypothetical";
import { known } from "@/app/(site)/_record/known";
import { LuckTable } from "@/app/(site)/_record/luck-table";
import { RecordFilters } from "@/app/(site)/_record/record-filters";
import { RecordOff } from "@/app/(site)/_record/record-off";
import { Words } from "@/app/(site)/_record/words";
import { db } from "@/db/client";
import { listModelNames } from "@/db/queries/models";
import { compareTimeframeCodes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { countWithheld } from "@/lib/signals/ledger/delays";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { readRecord } from "@/lib/signals/record/read-record";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import type { SearchParams } from "@/lib/wire/query-filter";
import { SlotTable } from "./_parts/slot-table";

export const metadata = {
  title: "Record",
  description: "What came of the signals that were committed in time, beside a coin. Anyone can check it.",
};

/** The record of all slots: a sentence, the slots, a curve, and how to check them. */
export default async function RecordPage({ searchParams }: { searchParams: SearchParams }) {
  await connection();
  if (!(await isRecordPublic())) return <RecordOff title="Record" />;
  const shown = readShown(await searchParams);
  const query = recordQuery(shown, new Date());
  const [record, names, withheld] = await Promise.all([
    query && known(asOfLedger("record", query, readRecord)),
    listModelNames(db()),
    countWithheld(db("heavy")),
  ]);
  const simulated = isDemonstration();
  const curves = record && equityCurves(record.curve);
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        title="Record"
        lead={record && <span className="text-lg text-ink">{record.headline.text}</span>}
        actions={<LinkButton href={paths.verify()}>Check it yourself</LinkButton>}
      />
      <div className="space-y-6">
        {simulated && <SimulatedNotice />}
        <RecordFilters
          action={paths.record()}
          shown={shown}
          symbols={names.symbols.toSorted()}
          timeframes={names.timeframes.toSorted(compareTimeframeCodes)}
          models={names.versions.toSorted()}
          sortable
        />
        {record === null || curves === null || record.count === 0 ? (
          <Card flush>
            {record !== null &&
            query !== null &&
            Object.values(query).every((value) => value === undefined) ? (
              <EmptyState icon={ChartLine} title="No result yet">
                A signal that was committed in time comes into the record when 12 later candles of its slot
                have closed: on H1 that is after twelve hours in which its market is open. Until then only
                subscribers see it; the public sees only its seal.
              </EmptyState>
            ) : (
              <EmptyState icon={ChartLine} title="Nothing matches">
                The record has no result for this choice. Change or clear the filter.
              </EmptyState>
            )}
          </Card>
        ) : (
          <>
            <Card
              title="Slots"
              lead={
                <>
                  {periodWords(shown.period)}. {counted(record.total.model.n, "followed signal")} of{" "}
                  {counted(record.total.forecasts.n, "forecast")}, after costs. Skill is claimed only where
                  the whole record of a slot{" "}
                  <Link href="#word-shown" className="link">
                    shows
                  </Link>{" "}
                  it. <HypotheticalMark />.
                </>
              }
              flush
            >
              <SlotTable slots={record.items} shown={shown} />
            </Card>
            <Card
              title="All of them together"
              lead={
                <>
                  Every followed signal with a risk of 1 R, whatever its slot, beside two bots that know
                  nothing. These intervals are for one look at one mean. Whether there is skill is decided by
                  the{" "}
                  <Link href="#word-shown" className="link">
                    sequential test
                  </Link>{" "}
                  in the sentence above, over all slots together.
                </>
              }
              flush
            >
              <LuckTable about="all slots" {...record.total} />
            </Card>
            <div id="equity" className="grid scroll-mt-24">
              <Card title="Equity in R">
                <LineChart
                  name="The signals"
                  unit="R"
                  points={curves.model}
                  beside={curves.beside}
                  drawdown={false}
                  notes={<span>n = {formatNumber(record.total.model.n)}, by UTC day of the close</span>}
                  table={{
                    href: `${paths.record(shownQuery({ ...shown, table: "equity" }))}#equity`,
                    isOpen: shown.table === "equity",
                  }}
                  simulated={simulated}
                />
              </Card>
            </div>
            <Words
              of={["slot", "r", "followed", "interval", "coin", "frequencies", "skill", "drawdown", "shown"]}
            />
            <Card title="For programs">
              <p className="max-w-[68ch] text-sm text-muted">
                These figures are the sum of {counted(record.ledger_size, "entry", "entries")} of a public
                ledger, as <code className="font-mono">GET /api/public/record</code> gives them.{" "}
                <Link href={paths.verify()} className="link">
                  One command
                </Link>{" "}
                downloads the ledger and adds them up again.
              </p>
            </Card>
          </>
        )}
        {record && record.notice === null && (
          <>
            <CoverageCard coverage={record.coverage} />
            <p className="text-sm text-muted">
              Withheld commitments: {formatNumber(withheld)}. A commitment counts as withheld when its horizon
              ended more than a day ago and the ledger neither reveals the signal nor says why.
            </p>
            <EnteredLater
              n={record.coverage.n_entered_later}
              where="The list of each slot shows them, marked."
            />
          </>
        )}
        <HypotheticalStatement />
      </div>
    </div>
  );
}

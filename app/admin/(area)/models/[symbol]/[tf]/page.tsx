import type { Metadata } from "next";
import { z } from "zod";
import { Badge } from "@/app/_components/badge";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { LineChart } from "@/app/_components/chart/line-chart";
import { ReliabilityDiagram } from "@/app/_components/chart/reliability-diagram";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { figureOrigin } from "@/app/_components/figure-origin";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { formatDay } from "@/app/_components/times";
import { RelativeTime } from "@/app/_components/timestamp";
import { equityCurves } from "@/app/(site)/_record/curves";
import { winRateOf } from "@/app/(site)/_record/figures-with-interval";
import { LuckComparisonTable } from "@/app/(site)/_record/luck-table";
import { nullIfMissing } from "@/app/(site)/_record/null-if-missing";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { CalibrationByTimeCard } from "@/app/admin/(area)/models/_components/calibration-by-time-card";
import { CalibrationPill } from "@/app/admin/(area)/models/_components/calibration-pill";
import { ChampionChange } from "@/app/admin/(area)/models/_components/champion-change";
import { COMPARISON_DAYS, ForecasterCard } from "@/app/admin/(area)/models/_components/forecaster-card";
import { OnlineCalibrationCard } from "@/app/admin/(area)/models/_components/online-calibration-card";
import { db } from "@/db/client";
import { listSlotFeatureStatistics } from "@/db/queries/features";
import {
  findForecastSource,
  findFormerModel,
  listModelVersions,
  listSecondModelFigures,
} from "@/db/queries/models";
import { listCalibrations } from "@/db/queries/online-calibrations";
import { findPromotionReason } from "@/db/queries/trainings";
import { readModelQuality } from "@/lib/admin/read-model-quality";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { featureStatus } from "@/lib/models/record-feature-drift";
import { adminPaths, paths } from "@/lib/paths";
import { readCalibrationByTime } from "@/lib/signals/quality/read-calibration-by-time";
import { MAX_JUDGED_FORECASTS } from "@/lib/signals/quality/slot-calibrations";
import { readSlotPage } from "@/lib/signals/record/read-slot";
import { addDays } from "@/lib/time";
import { DEFAULT_QUALITY_DAYS } from "@/lib/wire/contracts/quality";
import { RecordQuery } from "@/lib/wire/contracts/record";
import { type SearchParams, textFilter } from "@/lib/wire/query-filter";

export async function generateMetadata({
  params,
}: {
  params: Promise<{ symbol: string; tf: string }>;
}): Promise<Metadata> {
  const { symbol, tf } = await params;
  return { title: `${decodeURIComponent(symbol)} ${tf} · Model` };
}

type Feature = Awaited<ReturnType<typeof listSlotFeatureStatistics>>[number];

const Filter = z.object({ model: textFilter() });

/** A model of a slot: its calibration, its results, and the drift of its features. */
export default async function Model({
  params,
  searchParams,
}: {
  params: Promise<{ symbol: string; tf: string }>;
  searchParams: SearchParams;
}) {
  const wanted = await params;
  const symbol = decodeURIComponent(wanted.symbol);
  const { sessionId } = await requireAdminSession(adminPaths.model(symbol, wanted.tf));
  const now = new Date();
  const { model: requested } = Filter.parse(await searchParams);
  const [all, quality] = await Promise.all([listModelVersions(db()), readModelQuality()]);
  const versions = all.filter((row) => row.symbol === symbol && row.timeframe === wanted.tf);
  const model = requested ? versions.find((row) => row.modelV === requested) : versions[0];
  if (!model) return <MissingPage />;
  const [reading, features, formerV, reason, calibrations, clock, forecastBy, secondModels, flash] =
    await Promise.all([
      nullIfMissing(
        readSlotPage(
          RecordQuery.parse({ symbol: model.symbol, tf_code: model.timeframe, model_v: model.modelV }),
        ),
      ),
      listSlotFeatureStatistics(db(), model.slotId),
      model.isActive && versions.length > 1 ? findFormerModel(db(), model.slotId, model.modelV) : null,
      model.isActive ? findPromotionReason(db(), model.slotId, model.modelV) : null,
      listCalibrations(db(), {
        slotId: model.slotId,
        modelV: model.modelV,
        day: addDays(now, -DEFAULT_QUALITY_DAYS),
      }),
      readCalibrationByTime(model.slotId, now),
      findForecastSource(db(), model.slotId),
      listSecondModelFigures(db(), { slotId: model.slotId, since: addDays(now, -COMPARISON_DAYS) }),
      consumeFlash(db(), sessionId),
    ]);
  const isThis = (row: { symbol: string; tf_code: string; model_v: string }) =>
    row.symbol === symbol && row.tf_code === model.timeframe && row.model_v === model.modelV;
  const slotCalibration = quality.slots.find(
    (row) => row.symbol === symbol && row.tf_code === model.timeframe,
  );
  // The champion shows the calibration of its slot; a former model shows its own.
  const calibration = (model.isActive && slotCalibration) || quality.calibration.find(isThis);
  const compared = !model.isActive
    ? "This model's forecasts"
    : (slotCalibration?.n ?? 0) < MAX_JUDGED_FORECASTS
      ? "All forecasts of this slot"
      : `The newest ${formatNumber(MAX_JUDGED_FORECASTS)} forecasts of this slot`;
  // Same query as the public page of the slot, so that both show the same figures.
  const figures = reading?.record.items[0];
  const curves = reading && equityCurves(reading.record.curve);
  const win = figures && winRateOf(figures.model);
  const former = versions.find((row) => row.modelV === formerV);
  const slot = `${symbol} ${model.timeframe}`;

  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.models(), label: "Models" }}
        title={`${slot}: ${model.modelV}`}
        lead={
          <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={model.isActive ? "accent" : "neutral"}>
              {model.isActive ? "champion" : "challenger"}
            </Badge>
            <span>trained {formatDay(model.trainedAt)}</span>
            {model.championSince && <span>champion since {formatDay(model.championSince)}</span>}
          </span>
        }
        actions={<LinkButton href={adminPaths.slot(symbol, model.timeframe)}>Its signals</LinkButton>}
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <StatRow columns={6} label="Quality">
          <Stat
            label="AUC"
            value={figure(model.aucWf, 3)}
            note={figureOrigin(model.nWf)}
            hint="How well the model separates BUY from SELL out of sample: 0.5 is chance."
          />
          <Stat label="Profit factor" value={figure(model.pfWf, 2)} note={figureOrigin(model.nWf)} />
          <Stat
            label="Calibration of the slot"
            value={<CalibrationPill status={slotCalibration?.status} />}
            n={slotCalibration?.n ?? 0}
            note={slotCalibration?.reason}
            hint="Measured over all models of the slot. Drifting: the ECE or the Brier score is larger than chance explains for this number of forecasts."
          />
          <Stat
            label="ECE"
            value={calibration?.ece == null ? "–" : formatShare(calibration.ece, 1)}
            hint="Expected calibration error: the average difference between stated confidence and hit rate, over ten bins."
          />
          <Stat
            label="Brier"
            value={figure(figures?.forecasts.brier ?? null, 3)}
            n={figures?.forecasts.n ?? 0}
            note={`class frequencies ${figure(figures?.forecasts.brier_frequencies ?? null, 3)}`}
            hint="Sum of squared errors of the three probabilities, 0 to 2; lower is better. The class frequencies of the slot so far are the baseline. This model's whole public record."
          />
          <Stat
            label="Win rate"
            value={win?.pct ?? "–"}
            {...(win?.unit && { unit: win.unit })}
            n={figures?.model.n ?? 0}
            note={win?.interval}
            hint="Winning trades as a share of winning and losing trades. This model's whole public record."
          />
        </StatRow>
        {versions.length > 1 && (
          <nav aria-label="Models of this slot" className="flex flex-wrap gap-2">
            {versions.map((version) => (
              <LinkButton
                key={version.id}
                size="small"
                variant={version.modelV === model.modelV ? "primary" : "secondary"}
                href={adminPaths.model(symbol, model.timeframe, { model: version.modelV })}
              >
                {version.modelV}
              </LinkButton>
            ))}
          </nav>
        )}
        <ForecasterCard versions={versions} forecastBy={forecastBy} secondModels={secondModels} />
        <div className="grid gap-6 xl:grid-cols-2">
          <Card
            title="Reliability"
            lead={`${compared} of the last ${DEFAULT_QUALITY_DAYS} days compared with their outcomes.`}
          >
            <ReliabilityDiagram
              model={`${slot}, ${model.isActive ? "all models" : model.modelV}`}
              ece={calibration?.ece ?? null}
              bins={(calibration?.bins ?? []).map((bin) => ({
                lo: bin.lo ?? 0,
                hi: bin.hi ?? 0,
                n: bin.n,
                avgConfidence: bin.avg_confidence,
                hitRate: bin.hit_rate,
              }))}
            />
          </Card>
          <Card
            title="Equity in R"
            lead="This model in the public record: its trades, 1 R of risk each, by UTC day."
          >
            {curves && figures && figures.model.n > 0 ? (
              <LineChart name={slot} unit="R" points={curves.model} />
            ) : (
              <EmptyState title="No result yet">
                The public record counts no BUY or SELL signal of this model so far.
              </EmptyState>
            )}
          </Card>
        </div>
        {figures && figures.model.n > 0 && (
          <Card
            title="Public record"
            lead="The figures of the public page: all signals of this model in the record."
            actions={
              <LinkButton
                href={paths.recordSlot(symbol, model.timeframe, { model: model.modelV })}
                size="small"
              >
                Public page
              </LinkButton>
            }
            flush
          >
            <LuckComparisonTable
              about={`${slot}, ${model.modelV}`}
              model={figures.model}
              coin={figures.coin}
              frequencies={figures.frequencies}
            />
          </Card>
        )}
        <OnlineCalibrationCard days={calibrations} />
        {model.isActive && (
          <div className="grid items-start gap-6 xl:grid-cols-2">
            <CalibrationByTimeCard by="hour" of={clock.hours} />
            <CalibrationByTimeCard by="weekday" of={clock.weekdays} />
          </div>
        )}
        {model.isActive && (
          <Card
            title="Last change of champion"
            lead={reason === null ? undefined : `Why it became the champion: ${reason}.`}
            flush={former !== undefined}
          >
            {former ? (
              <ChampionChange champion={model} former={former} />
            ) : (
              <p className="text-sm text-muted">This slot has had no other model so far.</p>
            )}
          </Card>
        )}
        <Card
          title="Feature health"
          lead="The newest feature values compared with the training sample (PSI). The limits come from the variation within that sample; for models without it: watch from 0.10, drifted from 0.25. Without any change, about one feature in forty is above its limit."
          flush
        >
          <DataTable
            caption={`Feature health of ${slot}`}
            columns={featureColumns(now)}
            rows={features.filter((row) => row.modelV === model.modelV)}
            rowKey={(row) => row.feature}
            empty={
              <EmptyState title="No features reported">
                A pipeline that sends its feature values through ingest sees here how they compare with
                training.
              </EmptyState>
            }
          />
        </Card>
      </div>
    </>
  );
}

const figure = (value: number | null, digits: number) => (value === null ? "–" : formatNumber(value, digits));

function featureColumns(now: Date): Column<Feature>[] {
  return [
    { key: "feature", header: "Feature", primary: true, cell: (row) => row.feature },
    {
      key: "state",
      header: "State",
      cell: (row) => {
        const status = featureStatus(row);
        return <StatusPill state={status} label={STATUS_LABELS[status]} />;
      },
    },
    {
      key: "psi",
      header: "PSI",
      unit: "drifted above",
      align: "right",
      cell: (row) => (
        <>
          {figure(row.psi, 3)}
          <span className="ml-1.5 text-faint">{figure(row.driftedAbove ?? 0.25, 2)}</span>
        </>
      ),
    },
    {
      key: "null",
      header: "Missing",
      unit: "%",
      align: "right",
      cell: (row) => formatNumber(row.nullPct, 1),
    },
    { key: "n", header: "n", align: "right", cell: (row) => formatNumber(row.n) },
    { key: "age", header: "Last value", cell: (row) => <RelativeTime at={row.lastValueAt} now={now} /> },
  ];
}

const STATUS_LABELS = {
  ok: "As trained",
  watch: "Watch",
  drifted: "Drifted",
  unknown: "No training sample",
} as const;

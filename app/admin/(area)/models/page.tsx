import { Boxes, Upload } from "lucide-react";
import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber, formatShare, formatSigned } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { formatInstant } from "@/app/_components/times";
import { ActionLink } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { listModelVersions, type ModelVersion } from "@/db/queries/models";
import { listProducerTokens } from "@/db/queries/producer-tokens";
import { readModelQuality } from "@/lib/admin/read-model-quality";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { compareSlots } from "@/lib/market/slot-order";
import { adminPaths } from "@/lib/paths";
import { settingInForce } from "@/lib/settings/registry";
import { MAX_JUDGED_FORECASTS } from "@/lib/signals/quality/slot-calibrations";
import { DEFAULT_QUALITY_DAYS } from "@/lib/wire/contracts/quality";
import { CalibrationPill } from "./_components/calibration-pill";
import { ProducerTokensCard } from "./_components/producer-tokens-card";

const ENDED_TOKENS_SHOWN = 50;

export const metadata: Metadata = { title: "Models" };

/** Champions and challengers of every slot with their claims and results. */
export default async function Models() {
  const session = await requireAdminSession(adminPaths.models());
  const [versions, quality, tokens, builtIn, flash] = await Promise.all([
    listModelVersions(db()),
    readModelQuality(),
    listProducerTokens(db(), ENDED_TOKENS_SHOWN),
    settingInForce(db(), "built_in_models"),
    consumeFlash(db(), session.sessionId),
  ]);
  const calibration = new Map(
    quality.calibration.map((model) => [`${model.symbol}/${model.tf_code}/${model.model_v}`, model]),
  );
  const record = new Map(
    quality.performance.map((item) => [`${item.symbol}/${item.tf_code}/${item.model_v}`, item]),
  );
  const slots = new Map(quality.slots.map((slot) => [`${slot.symbol}/${slot.tf_code}`, slot]));
  const slotOf = (row: ModelVersion) =>
    row.isActive ? slots.get(`${row.symbol}/${row.timeframe}`) : undefined;
  // A champion's row shows the calibration of the slot, because its status is derived from that; other models show
  // their own.
  const judged = (row: ModelVersion) => slotOf(row) ?? calibration.get(keyOf(row));
  const keyOf = (row: ModelVersion) => `${row.symbol}/${row.timeframe}/${row.modelV}`;

  const columns: Column<ModelVersion>[] = [
    {
      key: "slot",
      header: "Slot",
      primary: true,
      cell: (row) => (
        <a
          className="link"
          href={adminPaths.model(row.symbol, row.timeframe, row.isActive ? {} : { model: row.modelV })}
        >
          {row.symbol} {row.timeframe}
        </a>
      ),
    },
    {
      key: "model",
      header: "Model",
      cell: (row) => (
        <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 phone:justify-end sm:flex-nowrap">
          {/* Wraps: versions often differ only at their end. */}
          <span className="wrap-anywhere sm:max-w-36">{row.modelV}</span>
          <Badge tone={row.isActive ? "accent" : "neutral"}>{row.isActive ? "champion" : "challenger"}</Badge>
          {!row.isBuiltIn && <Badge>own</Badge>}
        </span>
      ),
    },
    { key: "auc", header: "AUC", align: "right", cell: (row) => claim(row.nWf, row.aucWf, 3) },
    { key: "pf", header: "PF", align: "right", cell: (row) => claim(row.nWf, row.pfWf, 2) },
    {
      key: "n",
      header: "n",
      unit: `${DEFAULT_QUALITY_DAYS} d`,
      align: "right",
      cell: (row) => figure(judged(row)?.n ?? null, 0),
    },
    {
      key: "ece",
      header: "ECE",
      unit: "by chance",
      align: "right",
      cell: (row) => {
        const ece = judged(row)?.ece ?? null;
        const noise = slotOf(row)?.ece_noise ?? null;
        return (
          <>
            {ece === null ? "–" : formatShare(ece, 1)}{" "}
            <span className="text-faint">{noise === null ? "–" : formatShare(noise, 1)}</span>
          </>
        );
      },
    },
    {
      key: "brier",
      header: "Brier",
      unit: "baseline",
      align: "right",
      cell: (row) => {
        const model = judged(row);
        return (
          <>
            {figure(model?.brier ?? null, 3)}{" "}
            <span className="text-faint">{figure(model?.brier_baseline ?? null, 3)}</span>
          </>
        );
      },
    },
    {
      key: "result",
      header: "Result",
      unit: "R",
      align: "right",
      cell: (row) => {
        const item = record.get(keyOf(row));
        return item && item.n_resolved > 0 ? formatSigned(item.total_r ?? 0, 1) : "–";
      },
    },
    {
      key: "status",
      header: "Calibration",
      cell: (row) => (row.isActive ? <CalibrationPill status={slotOf(row)?.status} /> : "–"),
    },
  ];

  return (
    <>
      <PageHeader
        title="Models"
        lead={`AUC and profit factor (PF) out of sample, measured by walk-forward or, with an asterisk, stated at the registration of an uploaded model, and results of the last ${DEFAULT_QUALITY_DAYS} days. Calibration is measured over all models of a slot, by at most its newest ${formatNumber(MAX_JUDGED_FORECASTS)} forecasts; the champion's row shows it, with the error that chance alone explains. As of ${formatInstant(quality.at)}.`}
        actions={
          <ActionLink needs="ingest.upload" href={adminPaths.upload()}>
            <Upload aria-hidden="true" />
            Upload
          </ActionLink>
        }
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        {quality.nLate > 0 && (
          <Notice
            tone="warn"
            title={`${countWithNoun(quality.nLate, "signal")} in these figures entered later`}
          >
            They entered the service after the next candle had closed, as a backtest does. Subscribers see
            them marked; no figure of the public record counts them.
          </Notice>
        )}
        <Card flush>
          <DataTable
            caption="Models by slot"
            columns={columns}
            rows={versions.toSorted((a, b) => compareSlots(a, b) || Number(b.isActive) - Number(a.isActive))}
            rowKey={(row) => row.id}
            empty={
              <EmptyState icon={Boxes} title="No model yet">
                Upload your own models, or send them to POST /admin/ingest/models.{" "}
                {builtIn.enabled
                  ? "A slot without a model gets the built-in baseline."
                  : "The built-in models are switched off under Settings, Thresholds, so a slot without a model of your own gets no signals."}
              </EmptyState>
            }
          />
        </Card>
        <div id="tokens" className="scroll-mt-24">
          <ProducerTokensCard
            tokens={tokens}
            fresh={flash?.kind === "producer-token" ? flash : null}
            form={formState(flash, "producer-token.create")}
          />
        </div>
      </div>
    </>
  );
}

const figure = (value: number | null, digits: number) => (value === null ? "–" : formatNumber(value, digits));

/** A figure of a model out of sample. One that no walk-forward measured is the operator's statement and has an asterisk. */
const claim = (nWf: number | null, value: number | null, digits: number) =>
  `${figure(value, digits)}${value !== null && nWf === null ? "*" : ""}`;

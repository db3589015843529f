import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import { z } from "zod";
import { Badge } from "@/app/_components/badge";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { FactList } from "@/app/_components/fact-list";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { Timestamp } from "@/app/_components/timestamp";
import { GlossaryCard } from "@/app/(site)/_record/glossary-card";
import { HypotheticalStatement } from "@/app/(site)/_record/hypothetical";
import { nullIfMissing } from "@/app/(site)/_record/null-if-missing";
import { RecordOff } from "@/app/(site)/_record/record-off";
import { db } from "@/db/client";
import { findModelVersion } from "@/db/queries/models";
import { paths } from "@/lib/paths";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { readRecordModels } from "@/lib/signals/record/read-models";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import type { PublicModel } from "@/lib/wire/contracts/record";
import { ClaimTable } from "./_parts/claim-table";
import { walkForwardFacts } from "./_parts/walk-forward-facts";

type Params = Promise<{ id: string }>;

const Id = z.string().regex(/^[1-9][0-9]{0,8}$/);

async function findModel(params: Params): Promise<PublicModel | null> {
  const id = Id.safeParse((await params).id);
  if (!id.success) return null;
  const version = await findModelVersion(db(), Number(id.data));
  if (version === null) return null;
  const { symbol, timeframe, modelV } = version;
  const found = await nullIfMissing(readRecordModels({ symbol, tf_code: timeframe, model_v: modelV }));
  return found?.items.find((model) => model.id === version.id) ?? null;
}

export const metadata: Metadata = {
  title: "Model",
  description: "What a model was trained on, what it claimed before it went live, and its results.",
};

/** A model: its training data, its claim, and its results. */
export default async function ModelPage({ params }: { params: Params }) {
  await connection();
  if (!(await isRecordPublic())) return <RecordOff title="Model" />;
  const model = await findModel(params);
  if (model === null) notFound();
  const slot = `${model.symbol} ${model.tf_code}`;
  const { training, claim, class_frequencies: frequencies } = model;
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        eyebrow={
          <>
            <a href={paths.record()} className="link">
              Record
            </a>
            {" / "}
            <a href={paths.recordSlot(model.symbol, model.tf_code)} className="link">
              {slot}
            </a>
          </>
        }
        title={model.model_v}
        lead={
          <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={model.is_active ? "accent" : "neutral"}>
              {model.is_active ? "in use" : "not in use"}
            </Badge>
            <span>
              Forecasts {slot}
              {model.champion_since && (
                <>
                  ; champion since <Timestamp at={model.champion_since} />
                </>
              )}
              .
            </span>
          </span>
        }
        actions={
          <LinkButton href={paths.recordSlot(model.symbol, model.tf_code, { model: model.model_v })}>
            Results of this model
          </LinkButton>
        }
      />
      <div className="space-y-6">
        {isDemonstration() && <SimulatedNotice />}
        <Card
          title="Claim and result"
          lead={
            claim ? (
              <>
                The claim was sealed on <Timestamp at={claim.sealed_at} />, before its first signal, and has
                not changed since
                {claim.entry === null
                  ? "; it will be in the ledger with the next entries."
                  : `: entry ${formatNumber(claim.entry)} of the ledger.`}{" "}
                “As claimed” means that luck can explain the difference. The ECE and the drawdown depend on
                the number of results, so they are not compared.
              </>
            ) : (
              "No claim was sealed for this model: it was not promoted here or has no walk-forward report, so there is nothing to compare its results with."
            )
          }
          flush
        >
          <ClaimTable name={model.model_v} claim={claim} result={model.result} />
        </Card>
        <div className="grid gap-6 lg:grid-cols-2">
          <Card title="Training">
            {training ? (
              <FactList
                facts={[
                  { name: "Recipe", value: training.champion },
                  { name: "Candles", value: formatNumber(training.n_candles) },
                  { name: "First candle", value: <Timestamp at={training.from} /> },
                  { name: "Last candle", value: <Timestamp at={training.to} /> },
                  { name: "Trained", value: <Timestamp at={model.trained_at} /> },
                  {
                    name: "SHA-256 of the candles",
                    value: <code className="font-mono text-xs break-all">{training.data_hash}</code>,
                  },
                ]}
              />
            ) : (
              <p className="text-sm text-muted">
                This model was not trained here. It dates from <Timestamp at={model.trained_at} /> and is
                either the baseline, which only counts past outcomes, or a model that the operator uploaded.
              </p>
            )}
          </Card>
          <Card title="Details">
            <FactList
              facts={[
                { name: "Slot", value: slot },
                ...walkForwardFacts(model),
                ...(frequencies
                  ? [
                      {
                        name: "BUY, SELL, NO TRADE in training",
                        value: frequencies.map((share) => formatShare(share, 1)).join(", "),
                      },
                    ]
                  : []),
                ...model.promotions.map(({ at, entry }) => ({
                  name: `In use since, entry ${formatNumber(entry)}`,
                  value: <Timestamp at={at} />,
                })),
              ]}
            />
            {training && <p className="mt-4 text-sm text-muted">{training.reason}</p>}
          </Card>
        </div>
        <GlossaryCard of={["skill", "ece", "drawdown", "r", "interval"]} />
        <HypotheticalStatement />
      </div>
    </div>
  );
}

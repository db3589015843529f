import type { z } from "zod";
import { listRecordModels, type ModelEntryRow, type RecordModelRow } from "@/db/queries/record";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { groupBy } from "@/lib/runtime/group-by";
import type { PublicModel, PublicModels, PublicModelsQuery } from "@/lib/wire/contracts/record";
import { MIN_RESULTS_FOR_RATES } from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import { forecasterQuality, forecastFigures, maxDrawdownOf } from "./figures";
import { fromMicro } from "./fixed-point";
import { isSimulated } from "./is-simulated";
import { readRecordSnapshot } from "./record-cache";
import { demonstrationNotice } from "./record-rule";
import { type RecordSums, sumRecordDays } from "./sums";

/**
 * Every selected model with the figures that were claimed for it after training, and its results in the record. Throws
 * 404 for an unknown slot or model.
 */
export async function readRecordModels(query: z.output<typeof PublicModelsQuery>): Promise<PublicModels> {
  return readRecordSnapshot(query, async ({ ledgerSize, selection, records }, snapshot) => {
    const models = await listRecordModels(snapshot.tx, selection);
    const entries = groupBy(await snapshot.modelEntries(), nameOf);
    const sums = new Map(
      [...new Set(models.map(({ slotId }) => slotId))].map((slotId) => [
        slotId,
        records.get(slotId)?.narrowed(selection).byModel,
      ]),
    );
    const items = models.map((model) =>
      modelItem(
        model,
        entries.get(nameOf(model)) ?? [],
        resultOf(sums.get(model.slotId)?.get(model.modelV) ?? NOTHING),
      ),
    );
    return { ledger_size: ledgerSize, notice: demonstrationNotice(), count: items.length, items };
  });
}

const NOTHING = sumRecordDays([]);
const nameOf = (row: { slotId: number; modelV: string }) => `${row.slotId}/${row.modelV}`;

function modelItem(
  model: RecordModelRow,
  entries: readonly ModelEntryRow[],
  result: PublicModel["result"],
): PublicModel {
  const [buy, sell, no] = model.classFreq ?? [];
  return {
    id: model.id,
    symbol: model.symbol,
    tf_code: model.timeframe,
    model_v: model.modelV,
    simulated: isSimulated(model),
    is_active: model.isActive,
    trained_at: model.trainedAt,
    champion_since: model.championSince,
    auc_wf: model.aucWf,
    pf_wf: model.pfWf,
    n_wf: model.nWf,
    class_frequencies: buy === undefined || sell === undefined || no === undefined ? null : [buy, sell, no],
    training: trainingOf(model),
    promotions: entries.flatMap(({ kind, at, entry }) => (kind === "promotion" ? [{ at, entry }] : [])),
    claim: claimOf(model, entries.find(({ kind }) => kind === "claim")?.entry ?? null),
    result,
  };
}

function trainingOf(model: RecordModelRow): PublicModel["training"] {
  const { nCandles, trainedFrom, trainedTo, dataHash, champion, reason } = model;
  if (nCandles === null || trainedFrom === null || trainedTo === null) return null;
  return {
    n_candles: nCandles,
    from: trainedFrom,
    to: trainedTo,
    data_hash: dataHash ?? "",
    champion: champion ?? "",
    reason: reason ?? "",
  };
}

function claimOf(model: RecordModelRow, entry: number | null): PublicModel["claim"] {
  if (model.sealedAt === null || model.claimN === null) return null;
  const estimate = (value: number | null, lo: number | null, hi: number | null) => ({
    value: roundFigure(value),
    ci95: lo === null || hi === null ? null : ([roundFigure(lo), roundFigure(hi)] as [number, number]),
  });
  return {
    sealed_at: model.sealedAt,
    entry,
    n: model.claimN,
    skill: estimate(model.skill, model.skillLo, model.skillHi),
    ece: estimate(model.ece, model.eceLo, model.eceHi),
    directional_share: estimate(model.directionalShare, model.directionalShareLo, model.directionalShareHi),
    max_drawdown_r: estimate(model.maxDrawdownR, model.maxDrawdownRLo, model.maxDrawdownRHi),
  };
}

/** A model's figures in the record so far. */
function resultOf({ forecasts, bins, series }: RecordSums): PublicModel["result"] {
  const { n, nIndependent, nDirectional } = forecasts;
  const { skill, skill_ci95 } = forecastFigures(forecasts);
  const { ece } = forecasterQuality(bins.model, forecasts.brier, forecasts);
  const share = nDirectional / n;
  const enough = n >= MIN_RESULTS_FOR_RATES;
  const [lo, hi] = enough ? wilsonInterval(share, nIndependent) : [0, 1];
  return {
    n,
    skill: { value: skill, ci95: skill_ci95 },
    ece: { value: ece, ci95: null },
    directional_share: {
      value: enough ? roundFigure(share) : null,
      ci95: enough ? [roundFigure(lo), roundFigure(hi)] : null,
    },
    max_drawdown_r: { value: roundFigure(fromMicro(maxDrawdownOf(series.r))), ci95: null },
  };
}

import type { z } from "zod";
import { readLedgerState } from "@/db/queries/ledger";
import {
  listDailyByModel,
  listPromotions,
  listRecordModels,
  listRecordSlots,
  type RecordModelRow,
  sumBinsByModel,
  sumDaysByModel,
} from "@/db/queries/record";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { groupBy } from "@/lib/runtime/group-by";
import type { PublicModel, PublicModels, PublicModelsQuery } from "@/lib/wire/contracts/record";
import { ENOUGH_RESULTS } from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import type { BinSums, ForecastSums } from "./contribution";
import { deepestFall, forecastsOf, NO_FORECASTS, qualityOf } from "./figures";
import { fromMicro } from "./fixed-point";
import { isSimulated } from "./is-simulated";
import { inOneSnapshot, selectionOf } from "./selection";

/** Every model with its claim and what came true. A slot or model that is not known is 404. */
export async function readRecordModels(query: z.output<typeof PublicModelsQuery>): Promise<PublicModels> {
  return inOneSnapshot(async (tx) => {
    const selection = await selectionOf(tx, query, await listRecordSlots(tx));
    const { slotIds, modelV } = selection;
    const { size } = await readLedgerState(tx);
    const models = await listRecordModels(tx, { slotIds, modelV });
    const promotions = await listPromotions(tx);
    const days = await sumDaysByModel(tx, selection);
    const bins = await sumBinsByModel(tx, selection);
    const daily = await listDailyByModel(tx, selection);
    const nameOf = (row: { slotId: number; modelV: string }) => `${row.slotId}/${row.modelV}`;
    const [promoted, sums, tallies, series] = [
      groupBy(promotions, nameOf),
      groupBy(days, nameOf),
      groupBy(bins, nameOf),
      groupBy(daily, nameOf),
    ];
    const items = models.map((model) => {
      const name = nameOf(model);
      return modelItem(model, {
        promotions: (promoted.get(name) ?? []).map(({ at, entry }) => ({ at, entry })),
        result: resultOf(
          sums.get(name)?.[0] ?? NO_FORECASTS,
          tallies.get(name) ?? [],
          series.get(name)?.[0]?.results ?? [],
        ),
      });
    });
    return { ledger_size: size, count: items.length, items };
  });
}

function modelItem(model: RecordModelRow, live: Pick<PublicModel, "promotions" | "result">): PublicModel {
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
    class_frequencies: buy === undefined || sell === undefined || no === undefined ? null : [buy, sell, no],
    training: trainingOf(model),
    promotions: live.promotions,
    claim: claimOf(model),
    result: live.result,
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

function claimOf(model: RecordModelRow): PublicModel["claim"] {
  if (model.sealedAt === null || model.claimN === null) return null;
  const estimate = (value: number | null, lo: number | null, hi: number | null) => ({
    value: roundFigure(value),
    ci95: lo === null || hi === null ? null : ([roundFigure(lo), roundFigure(hi)] as [number, number]),
  });
  return {
    sealed_at: model.sealedAt,
    entry: model.claimEntry,
    n: model.claimN,
    skill: estimate(model.skill, model.skillLo, model.skillHi),
    ece: estimate(model.ece, model.eceLo, model.eceHi),
    directional_share: estimate(model.directionalShare, model.directionalShareLo, model.directionalShareHi),
    max_drawdown_r: estimate(model.maxDrawdownR, model.maxDrawdownRLo, model.maxDrawdownRHi),
  };
}

/** What came true of a model so far. */
function resultOf(
  sums: ForecastSums,
  bins: readonly (BinSums & { bin: number })[],
  daily: readonly number[],
): PublicModel["result"] {
  const { n, nIndependent, nDirectional } = sums;
  const { skill, skill_ci95 } = forecastsOf(sums);
  const { ece } = qualityOf(bins, sums);
  const share = nDirectional / n;
  const enough = n >= ENOUGH_RESULTS;
  const [lo, hi] = enough ? wilsonInterval(share, nIndependent) : [0, 1];
  return {
    n,
    skill: { value: skill, ci95: skill_ci95 },
    ece: { value: ece, ci95: null },
    directional_share: {
      value: enough ? roundFigure(share) : null,
      ci95: enough ? [roundFigure(lo), roundFigure(hi)] : null,
    },
    max_drawdown_r: { value: roundFigure(fromMicro(deepestFall(daily))), ci95: null },
  };
}

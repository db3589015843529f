import { formatNumber } from "@/app/_components/figures";
import type { PublicModel } from "@/lib/wire/contracts/record";

/**
 * AUC and profit factor of a model. Only those of a walk-forward by this service have a number of candles; for an
 * uploaded model they are what its operator wrote, which nothing here has checked.
 */
export function walkForwardFacts({
  auc_wf: auc,
  pf_wf: profitFactor,
  n_wf: n,
}: Pick<PublicModel, "auc_wf" | "pf_wf" | "n_wf">): { name: string; value: string }[] {
  const origin = n === null ? "stated at its registration" : `walk-forward, n = ${formatNumber(n)}`;
  return [
    { name: `AUC, ${origin}`, value: auc === null ? "–" : formatNumber(auc, 3) },
    { name: `Profit factor, ${origin}`, value: profitFactor === null ? "–" : formatNumber(profitFactor, 2) },
  ];
}

import { formatNumber } from "@/app/_components/figures";
import type { PublicModel } from "@/lib/wire/contracts/record";

/**
 * AUC and profit factor of a model, each labelled with its origin: a walk-forward test by this service with its number
 * of candles (`n_wf`), or the operator's own statement about an uploaded model, which is not checked.
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

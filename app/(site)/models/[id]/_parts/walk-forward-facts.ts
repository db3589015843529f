import { figureOrigin } from "@/app/_components/figure-origin";
import { formatNumber } from "@/app/_components/figures";
import type { PublicModel } from "@/lib/wire/contracts/record";

/** AUC and profit factor of a model, each labelled with its origin. */
export function walkForwardFacts({
  auc_wf: auc,
  pf_wf: profitFactor,
  n_wf: n,
}: Pick<PublicModel, "auc_wf" | "pf_wf" | "n_wf">): { name: string; value: string }[] {
  const origin = figureOrigin(n);
  return [
    { name: `AUC, ${origin}`, value: auc === null ? "–" : formatNumber(auc, 3) },
    { name: `Profit factor, ${origin}`, value: profitFactor === null ? "–" : formatNumber(profitFactor, 2) },
  ];
}

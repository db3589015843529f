import { Lock } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { planIncludes, planWith, type Scope } from "@/lib/access/plans";
import { scopeWords } from "@/lib/access/scope-words";
import { paths } from "@/lib/paths";
import { subscriberShop } from "@/lib/runtime/renewal-link";
import type { PlanTier } from "@/lib/vocabulary";

/** In place of a slot that is produced but outside of the reader's access: why, and which plan has it. */
export function NotInPlan({
  subscriptionId,
  symbol,
  timeframe,
  planTier,
  scope,
}: {
  subscriptionId: number;
  symbol: string;
  timeframe: string;
  planTier: PlanTier;
  scope: Scope;
}) {
  const name = `${symbol} ${timeframe}`;
  const byKey = planIncludes(planTier, symbol, timeframe);
  const shopUrl = subscriberShop(subscriptionId);
  return (
    <Card flush>
      <EmptyState
        icon={Lock}
        title={byKey ? `${name} is outside the limits of your key` : `${name} is not in your plan`}
        actions={
          <>
            {shopUrl && !byKey && (
              <LinkButton href={shopUrl} variant="primary">
                Change the plan
              </LinkButton>
            )}
            <LinkButton href={paths.portalSignals()}>Your signals</LinkButton>
          </>
        }
      >
        {byKey
          ? `Your plan ${planTier} has it, but your key was limited to ${scopeWords(scope)}. The operator can change that.`
          : `The plan ${planWith(symbol, timeframe)} has it. Your plan ${planTier} shows ${scopeWords(scope)}.`}
      </EmptyState>
    </Card>
  );
}

import { Lock } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { describeScope } from "@/lib/access/describe-scope";
import { type Grant, lowestPlanIncluding, planIncludes, planTitle, type Scope } from "@/lib/access/plans";
import { paths } from "@/lib/paths";
import { planNames } from "@/lib/runtime/plan-features";
import { subscriberShopUrl } from "@/lib/runtime/renewal-link";

/** Shown for a slot outside of the subscriber's access, with the plan that includes it. */
export function NotInPlan({
  subscriptionId,
  symbol,
  timeframe,
  held,
  scope,
}: {
  subscriptionId: number;
  symbol: string;
  timeframe: string;
  held: Pick<Grant, "planTier" | "plans">;
  scope: Scope;
}) {
  const name = `${symbol} ${timeframe}`;
  const byKey = planNames(held).some((plan) => planIncludes(plan, symbol, timeframe));
  const plans = planNames(held).map(planTitle).join(" and ");
  const shopUrl = subscriberShopUrl(subscriptionId);
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
          ? `Your plan ${plans} has it, but your key was limited to ${describeScope(scope)}. The operator can change that.`
          : `The plan ${planTitle(lowestPlanIncluding(symbol, timeframe))} has it. Your plan ${plans} has ${describeScope(scope)}.`}
      </EmptyState>
    </Card>
  );
}

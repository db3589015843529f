import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { PlanAndLimitsFields } from "@/app/admin/(area)/subscribers/_components/plan-and-limits-fields";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { adminPaths } from "@/lib/paths";

/** Plan and limits of a key. */
export function PlanAndLimitsCard({
  id,
  entry,
  form,
}: {
  id: number;
  entry: SubscriberKey;
  form: FormState;
}) {
  return (
    <Card title="Plan and limits" lead="No mail is sent about a change.">
      <ActionForm needs="key.grant" action={adminPaths.subscriberForm(id, "grant")} className="space-y-4">
        <input type="hidden" name="key_id" value={entry.keyId} />
        <PlanAndLimitsFields values={form.returned ? form.values : grantValues(entry)} errors={form.errors} />
        <Button type="submit">Change</Button>
      </ActionForm>
    </Card>
  );
}

function grantValues(key: SubscriberKey): Record<string, string> {
  return {
    plan_tier: key.planTier,
    symbols_allowed: key.symbolsAllowed?.join(", ") ?? "",
    tfs_allowed: key.tfsAllowed?.join(", ") ?? "",
    rate_limit_per_min: key.rateLimitPerMin === null ? "" : String(key.rateLimitPerMin),
  };
}

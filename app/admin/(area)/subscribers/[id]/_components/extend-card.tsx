import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { formatSpan } from "@/app/_components/times";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { AccessEndFields } from "@/app/admin/(area)/subscribers/_components/access-end-fields";
import type { RecentCredits } from "@/db/queries/credits";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { formatUtcMinute } from "@/lib/admin/form-fields";
import { adminPaths } from "@/lib/paths";

/** Moves the end of access: by days, or to a date. */
export function ExtendCard({
  id,
  entry,
  expired,
  credits: { nProposed, nGranted, longestMinutes },
  form,
}: {
  id: number;
  entry: SubscriberKey;
  expired: boolean;
  credits: RecentCredits;
  form: FormState;
}) {
  const shownEnd = <input type="hidden" name="shown_end" value={entry.expiresAt?.toISOString() ?? ""} />;
  return (
    <Card title="Extend access" lead={`${expired ? "Access starts again at once. " : ""}No mail is sent.`}>
      {nProposed + nGranted > 0 && (
        <p className="mb-4 text-sm text-warn">
          {nProposed === 0 ? "Recently given" : nGranted === 0 ? "Proposed" : "Proposed and recently given"}:{" "}
          <a href={adminPaths.credits()} className="link">
            downtime credit
          </a>{" "}
          of {formatSpan(longestMinutes)}.
        </p>
      )}
      {entry.expiresAt && (
        <ActionForm
          needs="key.extend"
          action={adminPaths.subscriberForm(id, "extend")}
          className="mb-5 flex flex-wrap gap-2"
        >
          <input type="hidden" name="key_id" value={entry.keyId} />
          {shownEnd}
          {["31", "92", "365"].map((days) => (
            <Button key={days} type="submit" size="small" name="add_days" value={days}>
              + {days} days
            </Button>
          ))}
        </ActionForm>
      )}
      <ActionForm needs="key.extend" action={adminPaths.subscriberForm(id, "extend")} className="space-y-4">
        <input type="hidden" name="key_id" value={entry.keyId} />
        {shownEnd}
        <AccessEndFields
          {...(entry.expiresAt && { label: "Or until, UTC" })}
          end={formatUtcMinute(entry.expiresAt)}
          values={form.values}
          errors={form.errors}
        />
        <Button type="submit">Set the end</Button>
      </ActionForm>
    </Card>
  );
}

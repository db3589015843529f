import type { Metadata } from "next";
import { Checkbox } from "@/app/_components/form/checkbox";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { SettingForm } from "@/app/admin/(area)/settings/_components/setting-form";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { readDocuments } from "@/lib/admin/settings/change-document";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Access and payments" };

/** When subscribers are told of the end, what is given back, and what of payments no table says. */
export default async function AccessSettings() {
  const session = await requireAdminSession(adminPaths.accessSettings());
  const [flash, stored] = await Promise.all([consumeFlash(db(), session.sessionId), readDocuments(db())]);
  const { end_notice: notice, downtime_credit: credit, payment_events: events } = stored;
  const { unmapped_product: unmapped } = stored;
  return (
    <>
      <SettingsHeader
        title="Access and payments"
        lead="When subscribers are told that their access ends, what lost time is given back, and what of payments no product says."
      />
      <FlashNotice flash={flash} />
      <div className="max-w-4xl space-y-6">
        <SettingForm
          name="settings.notice_days"
          action={adminPaths.saveNoticeDays()}
          flash={flash}
          stored={notice}
          values={{ days: notice.days.join(", ") }}
          title="End of access"
          lead="How many days before it ends a subscriber is mailed, once for each end; the portal shows it from the first on."
        >
          {(field) => <TextInput {...field("days")} label="Days before" required maxLength={60} />}
        </SettingForm>
        <SettingForm
          name="settings.downtime_credit"
          action={adminPaths.saveDowntimeCredit()}
          flash={flash}
          stored={credit}
          values={{
            enabled: String(credit.enabled),
            threshold_minutes: String(credit.thresholdMinutes),
            share_pct: String(Number((credit.share * 100).toFixed(6))),
            preview_hours: String(credit.previewHours),
          }}
          title="Lost time"
          lead="Market time in which we kept fresh signals from paying subscribers moves their end, once a month."
        >
          {(field, filled) => (
            <div className="grid gap-5 sm:grid-cols-2">
              <TextInput
                {...field("threshold_minutes")}
                label="Minutes a month that are borne"
                hint="More than these are given back, all of them."
                required
                inputMode="numeric"
              />
              <TextInput
                {...field("share_pct")}
                label="Slots that have to be late"
                hint="Per cent of the open slots of the plan."
                required
                inputMode="decimal"
              />
              <TextInput
                {...field("preview_hours")}
                label="Hours to look before it is given"
                hint="Until then each credit can be declined."
                required
                inputMode="numeric"
              />
              <Checkbox
                name="enabled"
                value="true"
                defaultChecked={filled.enabled === "true"}
                label="Lost time is given back"
                className="sm:pt-8"
              />
            </div>
          )}
        </SettingForm>
        <SettingForm
          name="settings.unmapped_product"
          action={adminPaths.saveUnmappedProduct()}
          flash={flash}
          stored={unmapped}
          values={{ days: String(unmapped.days), grace_days: String(unmapped.graceDays) }}
          title="A product outside the table"
          lead="Its plan is read from its name and the payment is flagged. What it buys:"
        >
          {(field) => (
            <div className="grid gap-5 sm:grid-cols-2">
              <TextInput {...field("days")} label="Days" required inputMode="numeric" />
              <TextInput {...field("grace_days")} label="Days of grace" required inputMode="numeric" />
            </div>
          )}
        </SettingForm>
        <SettingForm
          name="settings.payment_events"
          action={adminPaths.savePaymentEvents()}
          flash={flash}
          stored={events}
          values={{
            failed: events.failed.join("\n"),
            chargeback_won: events.chargebackWon.join("\n"),
            failure_grace_days: String(events.failureGraceDays),
          }}
          title="Events of the generic platform"
          lead="What it calls events beside the four of the interface. The other platforms' are known."
        >
          {(field) => (
            <div className="grid gap-5 sm:grid-cols-2">
              <TextArea
                {...field("failed")}
                label="A payment failed"
                hint="One name a line."
                rows={5}
                spellCheck={false}
              />
              <TextArea
                {...field("chargeback_won")}
                label="A chargeback was won"
                hint="One name a line."
                rows={5}
                spellCheck={false}
              />
              <TextInput
                {...field("failure_grace_days")}
                label="Days of grace after a failed payment"
                hint="For what is no known product; a product says its own."
                required
                inputMode="numeric"
              />
            </div>
          )}
        </SettingForm>
      </div>
    </>
  );
}

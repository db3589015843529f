import { Download } from "lucide-react";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { formatList } from "@/app/_components/figures";
import { Checkbox } from "@/app/_components/form/checkbox";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { timeZoneOptions, timeZoneOptionValue } from "@/app/_components/form/time-zones";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { PortalForms } from "@/app/portal/_components/portal-forms";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import { AccountCard } from "@/app/portal/settings/_components/account-card";
import { db } from "@/db/client";
import { findOpenAddressChange } from "@/db/queries/accounts";
import { listPortalViewsByOperator } from "@/db/queries/portal-views";
import { listOpenSessions } from "@/db/queries/sessions";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { readExpiryReminderDays } from "@/lib/outbound/mail/expiry-reminder-days";
import { paths } from "@/lib/paths";
import { OperatorVisitList } from "./_components/operator-visit-list";

export const metadata = { title: "Settings" };

const LOOKS_SHOWN = 20;

type Params = Promise<{ saved?: string; error?: string }>;

/** Name, time zone, mail preferences and account. */
export default async function SettingsPage({ searchParams }: { searchParams: Params }) {
  const subscriber = await requireSubscriber({ tryOut: true });
  const { saved, error } = await searchParams;
  const { preferences } = subscriber;
  const now = new Date();
  const clock = clockOf(preferences);
  const [flash, noticeDays, sessions, visits, addressChange] = await Promise.all([
    consumeFlash(db(), subscriber.flashSession),
    readExpiryReminderDays(db()),
    listOpenSessions(db(), subscriber),
    listPortalViewsByOperator(db(), subscriber.subscriptionId, LOOKS_SHOWN),
    findOpenAddressChange(db(), subscriber.subscriptionId),
  ]);

  return (
    <>
      <PageHeader title="Settings" lead="For this subscription, on every device." />
      <FlashNotice flash={flash} />
      <PortalForms className="min-w-0 space-y-6">
        {saved && (
          <Notice tone="done" title="Saved" announce>
            The settings apply from now on.
          </Notice>
        )}
        {error && (
          <Notice tone="danger" title="Nothing was saved" announce>
            One of the fields below has an invalid value.
          </Notice>
        )}
        <Card title="You">
          <form method="post" action={paths.portalSettingsForm("save")} className="space-y-8">
            <ShownSubscriptionField />
            <div className="grid gap-5 md:grid-cols-3">
              <TextInput
                label="Display name"
                name="display_name"
                autoComplete="name"
                maxLength={80}
                placeholder={subscriber.userName}
                defaultValue={preferences.displayName ?? ""}
                hint="The name that the portal greets you with."
                error={error === "display_name" ? "At most 80 characters." : undefined}
              />
              <Select
                label="Time zone"
                name="time_zone"
                defaultValue={preferences.timeZone ? timeZoneOptionValue(preferences.timeZone) : ""}
                options={[{ value: "", label: "As this device, when first used" }, ...timeZoneOptions()]}
                hint="What “Local” means next to times."
                error={error === "time_zone" ? "This is not a known time zone." : undefined}
              />
              <Select
                label="Broker's clock"
                name="broker_clock"
                defaultValue={
                  preferences.brokerOffsetMinutes === undefined
                    ? "new_york"
                    : String(preferences.brokerOffsetMinutes)
                }
                options={brokerClocks()}
                hint="The time in the terminal's Market Watch."
              />
            </div>
            <fieldset>
              <legend className="mb-3 text-sm font-medium">Mails</legend>
              <div className="space-y-3">
                <Checkbox
                  label="Before my access ends"
                  name="mail_reminders"
                  value="true"
                  defaultChecked={preferences.mailReminders ?? true}
                  hint={`${listOf(noticeDays)} before.`}
                />
                <Checkbox
                  label="When my EA stops calling"
                  name="mail_ea_offline"
                  value="true"
                  defaultChecked={preferences.mailEaOffline ?? true}
                  hint="Only while the market is open, at most once for each silence."
                />
                <Checkbox
                  label="When a model of my plan changes"
                  name="mail_models"
                  value="true"
                  defaultChecked={preferences.mailModels ?? false}
                  hint="The mail names the slots with a new model. The overview always shows it."
                />
                <Checkbox
                  label="Incidents and pauses"
                  name="mail_incidents"
                  value="true"
                  defaultChecked={preferences.mailIncidents ?? false}
                  hint="A mail for each update that the operator posts on the status page, sent at once. Only with “News from the operator”."
                />
                <Checkbox
                  label="News from the operator"
                  name="mail_notices"
                  value="true"
                  defaultChecked={preferences.mailNotices ?? true}
                  hint="New symbols and changes of the service. Mails about your key and your payments are always sent."
                />
              </div>
              {subscriber.email === null && (
                <p className="mt-3 text-sm text-muted">
                  This subscription has no address, so nothing is mailed.
                </p>
              )}
            </fieldset>
            <Button type="submit" variant="primary">
              Save
            </Button>
          </form>
        </Card>
        <Card
          title="Signed in"
          lead={`Browsers that can see this subscription. Times in ${clockOffsetLabel(clock, now)}.`}
          flush
        >
          <ul className="divide-y text-sm">
            {sessions.map((session) => (
              <li
                key={session.sessionId}
                className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-3 sm:px-6"
              >
                <div className="min-w-0">
                  <p className="flex flex-wrap items-center gap-2 font-medium">
                    {browserOf(session.client)}
                    {session.sessionId === subscriber.sessionId && <Badge tone="accent">this browser</Badge>}
                  </p>
                  <p className="text-xs text-faint">
                    {session.byKey ? "by API key" : "by e-mail link"}
                    {session.address && `, from ${session.address}`}
                  </p>
                </div>
                <p className="text-xs text-muted sm:text-right">
                  last used <PortalTime at={session.lastUsedAt} clock={clock} />
                  <br />
                  since <PortalTime at={session.createdAt} clock={clock} />
                </p>
              </li>
            ))}
          </ul>
          <div className="border-t px-4 py-4 sm:px-6">
            <ConfirmDialog
              trigger="Sign out everywhere"
              triggerVariant="secondary"
              title="Sign out everywhere?"
              consequence="Every browser that is signed in to this subscription, including this one, must sign in again. Your EA continues: its key stays active."
              confirmLabel="Sign out everywhere"
              action={paths.portalSettingsForm("sign-out-everywhere")}
            >
              <ShownSubscriptionField />
            </ConfirmDialog>
          </div>
        </Card>
        <OperatorVisitList visits={visits} clock={clock} now={now} />
        <Card
          title="My data"
          lead="Everything we keep about this subscription, as one JSON file: notes, mails, what the shop sent us, every position. Keys and their fingerprints are not in it."
        >
          <LinkButton href={paths.portalMyData()} download>
            <Download aria-hidden="true" />
            Export my data
          </LinkButton>
        </Card>
        {!subscriber.isOwnerEnv && (
          <AccountCard
            email={subscriber.email}
            change={addressChange}
            form={formState(flash, "portal.address")}
            clock={clock}
            now={now}
          />
        )}
      </PortalForms>
    </>
  );
}

/** "7, 3 and 1 days". */
function listOf(days: readonly number[]): string {
  return `${formatList(days.map(String))} ${days.at(-1) === 1 && days.length === 1 ? "day" : "days"}`;
}

const BROKER_HOURS = Array.from({ length: 27 }, (_, index) => index - 12);

function brokerClocks() {
  return [
    { value: "new_york", label: "UTC+2, summer UTC+3 (usual)" },
    ...BROKER_HOURS.map((hours) => ({
      value: String(hours * 60),
      label: `UTC${hours < 0 ? "−" : "+"}${Math.abs(hours)}, all year`,
    })),
  ];
}

/** The browser and system in a user agent, as far as they are recognised. */
function browserOf(client: string | null): string {
  if (!client) return "Unknown browser";
  const browser = /Edg\//.test(client)
    ? "Edge"
    : /Firefox\//.test(client)
      ? "Firefox"
      : /Chrome\//.test(client)
        ? "Chrome"
        : /Safari\//.test(client)
          ? "Safari"
          : client.slice(0, 40);
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(client)?.[0].replace("Mac OS X", "macOS");
  return system ? `${browser} on ${system}` : browser;
}

import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Checkbox } from "@/app/_components/form/checkbox";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { timeZoneOptions, timeZoneOptionValue } from "@/app/_components/form/time-zones";
import { Notice } from "@/app/_components/notice";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import {
  type AlertEpisode,
  findAlertSettings,
  listAlertWebhookPosts,
  listNewestEpisodes,
} from "@/db/queries/alerts";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { adminPaths } from "@/lib/paths";
import { ALERT_METHODS, ALERT_TOPICS } from "@/lib/vocabulary";
import { ALERT_METHOD_LABELS, TOPIC_LABELS } from "./_components/alert-labels";

export const metadata: Metadata = { title: "Alerts" };

const EPISODES = 20;
const HOURS = [
  { value: "", label: "none" },
  ...Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${hour}:00` })),
];

/** An owner's alert settings, and the latest alerts. */
export default async function Alerts() {
  const session = await requireAdminSession(adminPaths.alerts());
  const { person } = session;
  const [flash, choice, episodes, posts] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    person && findAlertSettings(db(), person.id),
    listNewestEpisodes(db(), EPISODES),
    person ? listAlertWebhookPosts(db(), person.id, 5) : [],
  ]);
  const { values, errors, returned } = formState(flash, "alerts.save");
  const isChosen = (topic: (typeof ALERT_TOPICS)[number]) =>
    returned ? values[`topic_${topic}`] === "true" : (choice?.topics.includes(topic) ?? true);
  const failed = posts.filter(({ lastCode }) => lastCode !== null);

  return (
    <>
      <SettingsHeader
        title="Alerts"
        lead="Messages to you when something needs attention. Alerts are grouped: at most one message per kind and hour, with a link to the page."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        {person === null ? (
          <Notice tone="warn" title="You are signed in with the secret">
            The secret belongs to no person, so alerts have no recipient. Invite yourself under People, then
            sign in by mail.
          </Notice>
        ) : (
          <Card
            title="Your alerts"
            lead={choice === null ? "None is on yet. Save the form to get those that are ticked." : undefined}
            className="max-w-4xl"
          >
            <ActionForm needs="alerts.save" action={adminPaths.alertsForm("save")} className="space-y-8">
              <fieldset>
                <legend className="mb-3 text-sm font-medium">Alerts</legend>
                <div className="grid gap-4 sm:grid-cols-2">
                  {ALERT_TOPICS.map((topic) => (
                    <Checkbox
                      key={topic}
                      name={`topic_${topic}`}
                      value="true"
                      label={TOPIC_LABELS[topic].name}
                      hint={TOPIC_LABELS[topic].hint}
                      defaultChecked={isChosen(topic)}
                    />
                  ))}
                </div>
              </fieldset>
              <div className="grid gap-5 sm:grid-cols-2">
                <Select
                  label="Sent"
                  name="way"
                  options={ALERT_METHODS.map((way) => ({ value: way, label: ALERT_METHOD_LABELS[way] }))}
                  defaultValue={values.way ?? choice?.way ?? "mail"}
                  error={errors.way}
                  className="sm:col-span-2"
                />
                <TextInput
                  label="Telegram chat"
                  name="telegram_chat_id"
                  inputMode="numeric"
                  maxLength={20}
                  defaultValue={values.telegram_chat_id ?? choice?.telegramChatId?.toString() ?? ""}
                  hint={
                    !hasTelegramBot()
                      ? "No bot is configured: enter its token on the page Delivery."
                      : "Send /id to the bot: it answers with this number."
                  }
                  error={errors.telegram_chat_id}
                />
                <TextInput
                  label="Address of your server"
                  name="url"
                  type="url"
                  maxLength={2000}
                  placeholder="https://"
                  defaultValue={values.url ?? choice?.webhookUrl ?? ""}
                  hint="Signed as Standard Webhooks. The secret is shown once, when it is created."
                  error={errors.url}
                />
                <Checkbox name="new_secret" value="true" label="Create a new secret for the server" />
              </div>
              <div className="grid gap-5 sm:grid-cols-3">
                <Select
                  label="Quiet from"
                  name="quiet_from"
                  options={HOURS}
                  defaultValue={values.quiet_from ?? choice?.quietFrom?.toString() ?? ""}
                  error={errors.quiet_from}
                />
                <Select
                  label="Quiet to"
                  name="quiet_to"
                  options={HOURS}
                  defaultValue={values.quiet_to ?? choice?.quietTo?.toString() ?? ""}
                  hint="Alerts during the quiet hours are sent at their end."
                  error={errors.quiet_to}
                />
                <Select
                  label="Time zone"
                  name="time_zone"
                  options={timeZoneOptions()}
                  defaultValue={timeZoneOptionValue(values.time_zone ?? choice?.timeZone ?? "UTC")}
                  error={errors.time_zone}
                />
              </div>
              <Button type="submit" variant="primary">
                Save
              </Button>
            </ActionForm>
            {choice && (
              <ActionForm
                needs="alerts.test"
                action={adminPaths.alertsForm("test")}
                className="mt-6 border-t pt-6"
              >
                <p className="mb-3 text-sm text-muted">
                  {ALERT_METHOD_LABELS[choice.way]}.{" "}
                  {failed.length > 0 && `The last failed attempt ended with ${failed[0]?.lastCode}.`}
                </p>
                <Button type="submit">Send me a test</Button>
              </ActionForm>
            )}
          </Card>
        )}
        <Card title="Recent alerts" lead="All kinds, whether they were sent or not." flush>
          <DataTable
            caption="Newest alerts"
            rows={episodes}
            rowKey={({ id }) => id}
            columns={COLUMNS}
            empty={<EmptyState title="No alerts yet">They appear here when something happens.</EmptyState>}
          />
        </Card>
      </div>
    </>
  );
}

const COLUMNS: Column<AlertEpisode>[] = [
  {
    key: "title",
    header: "Alert",
    primary: true,
    cell: ({ title, path }) => (
      <a href={path} className="link">
        {title}
      </a>
    ),
  },
  { key: "text", header: "Details", cell: ({ text }) => <span className="break-words">{text}</span> },
  { key: "since", header: "Since", cell: ({ openedAt }) => <Timestamp at={openedAt} /> },
  {
    key: "until",
    header: "Until",
    cell: ({ closedAt, subject }) =>
      subject !== "" ? "single event" : closedAt ? <Timestamp at={closedAt} /> : "ongoing",
  },
];

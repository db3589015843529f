import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { type Column, DataTable } from "@/app/_components/data-table";
import { Checkbox } from "@/app/_components/form/checkbox";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { timeZoneTitle } from "@/app/_components/form/time-zones";
import { Notice } from "@/app/_components/notice";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import type { ChannelDeliveryRow, RecipientRow } from "@/db/queries/channel-recipients";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import type { AddressChannel } from "@/lib/outbound/channels/address-channel";
import { paths } from "@/lib/paths";
import { RECIPIENT_EVENTS, type RecipientEventName } from "@/lib/vocabulary";
import { DoubtNote, TelegramStatePill } from "./telegram-card";

const EVENT_LABELS: Record<RecipientEventName, string> = {
  "signal.created": "New signals",
  "signal.no_trade": "NO TRADE signals",
  "signal.resolved": "Results",
  incident: "Incidents of this service",
};
const FIRST_CHOICE: readonly RecipientEventName[] = ["signal.created", "signal.resolved"];
const HOURS = [
  { value: "", label: "None" },
  ...Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${hour}:00` })),
];

/** The form of a channel with its stored settings, and the latest messages. */
export function ChannelCard({
  channel: { name, title, address },
  recipient,
  sent,
  form,
  timeZone,
  clock,
  now,
}: {
  channel: Pick<AddressChannel, "name" | "title" | "address">;
  recipient: RecipientRow | null;
  sent: ChannelDeliveryRow[];
  form: FormState;
  /** Time zone of the quiet hours. */
  /** null: not chosen in the settings. */
  timeZone: string | null;
  clock: WallClock;
  now: Date;
}) {
  const isChosen = (event: RecipientEventName) =>
    form.returned ? form.values[event] === "true" : (recipient?.events ?? FIRST_CHOICE).includes(event);
  const hourOf = (field: "quiet_from" | "quiet_to", stored: number | null | undefined) =>
    form.values[field] ?? (stored == null ? "" : String(stored));
  return (
    <Card
      title={title}
      lead={`Signals and results as messages in a ${title} channel.`}
      actions={
        <LinkButton href={`${paths.docs("telegram")}#${name}`} size="small">
          What is sent
        </LinkButton>
      }
    >
      <div className="space-y-6">
        {recipient?.state === "paused" && (
          <Notice tone="warn" title={`${title} no longer accepts this address`}>
            The service sends nothing to this channel until you enter a new address.
          </Notice>
        )}
        <form method="post" action={paths.portalChannelForm(name, "save")} className="space-y-5">
          <ShownSubscriptionField />
          <TextInput
            label={address.label}
            name="address"
            required={recipient === null}
            maxLength={500}
            autoComplete="off"
            spellCheck={false}
            placeholder={address.placeholder}
            defaultValue={form.values.address ?? ""}
            error={form.errors.address}
            hint={recipient === null ? address.hint : `Stored: ${recipient.hint}. Leave empty to keep it.`}
          />
          <fieldset>
            <legend className="mb-3 text-sm font-medium">Messages</legend>
            <div className="grid gap-3 sm:grid-cols-2">
              {RECIPIENT_EVENTS.map((event) => (
                <Checkbox
                  key={event}
                  label={EVENT_LABELS[event]}
                  name={event}
                  value="true"
                  defaultChecked={isChosen(event)}
                />
              ))}
            </div>
            {form.errors.events && <p className="mt-2 text-sm text-danger">Choose at least one.</p>}
          </fieldset>
          <div className="grid gap-5 sm:grid-cols-2">
            <Select
              label="Quiet hours from"
              name="quiet_from"
              options={HOURS}
              defaultValue={hourOf("quiet_from", recipient?.quietFrom)}
              hint={`Without sound. Time zone: ${timeZone === null ? "UTC, until you choose one in the settings" : `${timeZoneTitle(timeZone)}, as in the settings`}.`}
              error={form.errors.quiet_from}
            />
            <Select
              label="Quiet hours until"
              name="quiet_to"
              options={HOURS}
              defaultValue={hourOf("quiet_to", recipient?.quietTo)}
              error={form.errors.quiet_to}
            />
          </div>
          <Button type="submit" variant="primary">
            Save {title}
          </Button>
        </form>
        {recipient !== null && (
          <div className="flex flex-wrap gap-3">
            <form method="post" action={paths.portalChannelForm(name, "test")}>
              <ShownSubscriptionField />
              <Button type="submit">Send a test to {title}</Button>
            </form>
            <ConfirmDialog
              trigger={`Remove ${title}`}
              title={`Remove ${title}?`}
              consequence="No more messages are sent to it, and its message history is deleted."
              confirmLabel="Remove"
              action={paths.portalChannelForm(name, "remove")}
            >
              <ShownSubscriptionField />
            </ConfirmDialog>
          </div>
        )}
        {sent.length > 0 && (
          <DataTable
            caption={`Last messages to ${title}, newest first, in ${clockOffsetLabel(clock, now)}`}
            columns={columns(title, clock, now)}
            rows={sent}
            rowKey={(row) => row.id}
          />
        )}
      </div>
    </Card>
  );
}

const SHORT_EVENT_LABELS: Record<string, string> = {
  "signal.created": "signal",
  "signal.resolved": "result",
  incident: "incident",
  test: "test",
};

/** A delivery in a few words, such as its slot and its event. */
export const deliverySubject = ({ symbol, timeframe, event }: ChannelDeliveryRow): string =>
  [symbol, timeframe, SHORT_EVENT_LABELS[event] ?? event].filter((part) => part !== null).join(" ");

const columns = (title: string, clock: WallClock, now: Date): Column<ChannelDeliveryRow>[] => [
  {
    key: "at",
    header: "Queued",
    primary: true,
    cell: (row) => <PortalTime at={row.createdAt} clock={clock} now={now} />,
  },
  { key: "about", header: "Message", cell: deliverySubject },
  {
    key: "state",
    header: "State",
    cell: (row) => (
      <>
        <TelegramStatePill state={row.state} />
        {row.state === "doubtful" && <DoubtNote title={title} isTest={row.event === "test"} />}
      </>
    ),
  },
];

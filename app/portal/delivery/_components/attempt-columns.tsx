import { Button } from "@/app/_components/button";
import type { Column } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { StatusPill } from "@/app/_components/status-pill";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import type { WebhookAttemptRow } from "@/db/queries/webhook-endpoints";
import type { WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { eventName } from "./event-labels";

/** The columns of the list of delivery attempts. */
export const attemptColumns = ({
  clock,
  now,
  endpointId,
}: {
  clock: WallClock;
  now: Date;
  endpointId: number;
}): Column<WebhookAttemptRow>[] => [
  {
    key: "at",
    header: "Attempted",
    primary: true,
    cell: (row) => <PortalTime at={row.at} clock={clock} now={now} />,
  },
  { key: "event", header: "Event", cell: (row) => <span className="break-all">{eventName(row.event)}</span> },
  {
    key: "result",
    header: "Result",
    cell: (row) =>
      row.code === null ? (
        <StatusPill state="ok" label={`Accepted, ${row.status}`} />
      ) : (
        <StatusPill state="down" label={reasonOf(row)} />
      ),
  },
  { key: "ms", header: "Time", unit: "ms", align: "right", cell: (row) => formatNumber(row.ms) },
  {
    key: "answer",
    header: "Response",
    cell: (row) =>
      row.answer === "" ? (
        <span className="text-faint">empty</span>
      ) : (
        <details className="max-w-72">
          <summary className="cursor-pointer truncate font-mono text-xs">{row.answer.slice(0, 40)}</summary>
          <pre className="mt-2 max-h-60 overflow-auto text-xs break-all whitespace-pre-wrap">
            {row.answer}
          </pre>
        </details>
      ),
  },
  {
    key: "again",
    header: "",
    align: "right",
    cell: (row) =>
      row.state === "pending" ? (
        <span className="text-xs text-muted">waiting</span>
      ) : (
        <form method="post" action={paths.portalWebhookForm(endpointId, "again")}>
          <ShownSubscriptionField />
          <input type="hidden" name="delivery_id" value={row.deliveryId} />
          <Button type="submit" size="small">
            Send again
          </Button>
        </form>
      ),
  },
];

const REASONS: Record<string, string> = {
  redirect: "Redirected",
  too_slow: "No response in 5 s",
  closed_address: "Not a public address",
  econnrefused: "Refused the connection",
  enotfound: "Name not found",
};

const reasonOf = ({ code, status }: WebhookAttemptRow): string =>
  code !== null && code in REASONS
    ? (REASONS[code] ?? code)
    : status === null
      ? (code ?? "").replaceAll("_", " ")
      : `Answered ${status}`;

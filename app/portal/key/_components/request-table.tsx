import { Badge } from "@/app/_components/badge";
import { DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { formatDayWithoutYear, formatIsoSeconds } from "@/app/_components/times";
import { clockOffsetLabel, type WallClock, wallTime } from "@/lib/market/clock";
import type { RecentRequest } from "@/lib/subscribers/recent-requests";

const tone = (status: number) => (status < 400 ? "up" : status === 429 || status >= 500 ? "warn" : "down");

/** Recent requests with their status. */
export function RequestTable({
  requests,
  clock,
  now,
}: {
  requests: readonly RecentRequest[];
  clock: WallClock;
  now: Date;
}) {
  return (
    <DataTable
      caption="Recent requests, newest first"
      rows={requests}
      rowKey={(row) => row.requestId}
      columns={[
        {
          key: "at",
          header: "Time",
          unit: clockOffsetLabel(clock, now),
          cell: (row) => {
            const wall = wallTime(clock, row.at);
            return (
              <time dateTime={formatIsoSeconds(row.at)} title={formatIsoSeconds(row.at)}>
                {formatDayWithoutYear(wall)}, {wall.toISOString().slice(11, 19)}
              </time>
            );
          },
        },
        {
          key: "request",
          header: "Request",
          primary: true,
          cell: (row) => (
            <span className="font-mono text-xs">
              {row.method} {row.route}
            </span>
          ),
        },
        {
          key: "status",
          header: "Response",
          cell: (row) => (
            <Badge tone={tone(row.status)}>
              {row.status}
              {row.code ? ` ${row.code}` : ""}
            </Badge>
          ),
        },
        { key: "ms", header: "Took", unit: "ms", align: "right", cell: (row) => formatNumber(row.ms, 1) },
        {
          key: "id",
          header: "Request id",
          cell: (row) => <code className="font-mono text-xs text-muted">{row.requestId}</code>,
        },
      ]}
    />
  );
}

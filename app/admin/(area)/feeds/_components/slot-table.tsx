import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import { StatusPill } from "@/app/_components/status-pill";
import { formatInstant, formatSpan } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import type { FeedDelays, SlotFeedState } from "@/lib/admin/read-feeds";
import { MAX_GAP_SEARCH_DAYS } from "@/lib/signals/feeds/missing-candles";

/** The newest candle, the missing candles and the feed of each slot. */
export function SlotTable({ slots }: { slots: readonly SlotFeedState[] }) {
  return (
    <DataTable
      caption="Slots and their candles"
      columns={COLUMNS}
      rows={slots}
      rowKey={(row) => row.slotId}
      empty={
        <EmptyState title="No slot yet">
          A slot appears as soon as a feed, a model or a signal names it.
        </EmptyState>
      }
    />
  );
}

const seconds = (value: number) => `${formatNumber(value, value < 10 ? 1 : 0)} s`;

function DelayText({ delays }: { delays: FeedDelays }) {
  if (delays.medianSeconds === null || delays.maxSeconds === null) return null;
  return (
    <span className="text-muted">
      {seconds(delays.medianSeconds)}, at most {seconds(delays.maxSeconds)} (n = {delays.n})
    </span>
  );
}

const COLUMNS: Column<SlotFeedState>[] = [
  { key: "slot", header: "Slot", primary: true, cell: (row) => `${row.symbol} ${row.timeframe}` },
  {
    key: "closed",
    header: "Last close",
    hint: "When the newest stored candle closed.",
    cell: (row) => <Timestamp at={row.closedAt} />,
  },
  {
    key: "late",
    header: "Late",
    hint: "How long the next candle is overdue, in open-market time.",
    cell: (row) =>
      row.lateMinutes >= 1 ? (
        <StatusPill state="delayed" label={formatSpan(row.lateMinutes)} />
      ) : (
        <StatusPill state="ok" label="No" />
      ),
  },
  {
    key: "gaps",
    header: "Missing",
    unit: `${MAX_GAP_SEARCH_DAYS} days`,
    hint: "Candles that are missing between stored ones although the market was open, among the last 5000.",
    align: "right",
    cell: (row) => {
      const last = row.holes.at(-1);
      if (last === undefined) return "0";
      return (
        <span title={`the last gap: ${formatInstant(last.from)} to ${formatInstant(last.to)}`}>
          {formatNumber(row.missing)} in {formatNumber(row.holes.length)}{" "}
          {row.holes.length === 1 ? "gap" : "gaps"}
        </span>
      );
    },
  },
  {
    key: "corrections",
    header: "Corrected",
    unit: "7 days",
    align: "right",
    cell: (row) => formatNumber(row.corrections),
  },
  {
    key: "feeds",
    header: "Source",
    hint: "With the delay from a candle's close to its receipt: median and maximum of the last hundred candles that arrived before the next close. Candles loaded at the feed's first start do not count.",
    cell: (row) =>
      row.feeds.length === 0 ? (
        <span className="text-muted">ingest</span>
      ) : (
        <ul className="space-y-1">
          {row.feeds.map((feed) => (
            <li key={feed.feed}>
              <span className="font-medium break-all">{feed.feed}</span> <DelayText delays={feed.delays} />
              {feed.compared > 0 && (
                <span className="block text-xs text-muted">
                  compared with the stored ones: {formatNumber(feed.sumDiffBps / feed.compared / 100, 4)} %
                  off on average, at most {formatNumber(feed.maxDiffBps / 100, 3)} % (n ={" "}
                  {formatNumber(feed.compared)}), {formatNumber(feed.differing)} by more than 0.1 %
                </span>
              )}
              {feed.refused > 0 && (
                <span className="block text-xs text-muted">
                  {formatNumber(feed.refused)} refused, the last one because {feed.lastRefusal}
                </span>
              )}
            </li>
          ))}
        </ul>
      ),
  },
];

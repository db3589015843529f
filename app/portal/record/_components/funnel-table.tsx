import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { formatSpan } from "@/app/_components/times";
import type { SlotFunnel } from "@/lib/executions/own-record/funnel";
import { MINUTE_MS } from "@/lib/time";

/** A duration in ms in words; a dash for null. */
export const formatDurationMs = (ms: number | null): string =>
  ms === null ? "–" : formatSpan(ms / MINUTE_MS);

/** The share `n / of` that reached a step, as `40 % of 30`; a dash if `of` is 0. */
export function formatStepShare(n: number, of: number): string {
  return of === 0 ? "–" : `${formatShare(n / of)} of ${formatNumber(of)}`;
}

const COLUMNS: readonly Column<SlotFunnel>[] = [
  { key: "slot", header: "Slot", primary: true, cell: (row) => `${row.symbol} ${row.timeframe}` },
  { key: "made", header: "Made", align: "right", cell: (row) => formatNumber(row.nMade) },
  {
    key: "fetched",
    header: "Fetched",
    align: "right",
    cell: (row) => formatStepShare(row.nFetched, row.nFetchKnown),
  },
  {
    key: "followed",
    header: "Followed",
    align: "right",
    cell: (row) => formatStepShare(row.nFollowed, row.nMade),
  },
  {
    key: "closed",
    header: "Closed",
    align: "right",
    cell: (row) => formatStepShare(row.nClosed, row.nFollowed),
  },
  { key: "after", header: "Made after", align: "right", cell: (row) => formatDurationMs(row.madeMs) },
  { key: "fetch", header: "Fetched after", align: "right", cell: (row) => formatDurationMs(row.fetchMs) },
  {
    key: "open",
    header: "Opened after",
    align: "right",
    cell: (row) =>
      row.followMs === null
        ? "–"
        : `${formatDurationMs(row.followMs)}, n = ${formatNumber(row.nFollowTimes)}`,
  },
  { key: "held", header: "Held", align: "right", cell: (row) => formatDurationMs(row.closeMs) },
];

/** The steps that the signals of each slot reached, and the median duration of each step. */
export function FunnelTable({ slots }: { slots: readonly SlotFunnel[] }) {
  return (
    <DataTable
      caption="Signals by slot: made, fetched, followed, closed"
      columns={COLUMNS}
      rows={slots}
      rowKey={(row) => `${row.symbol}/${row.timeframe}`}
      cards={false}
    />
  );
}

/** The rate of a step in percent with its sample size; a dash if the sample is empty. */
export const formatStepRate = (n: number, of: number): { value: string; unit?: string; n: number } =>
  of === 0 ? { value: "–", n: 0 } : { value: formatNumber((100 * n) / of), unit: "%", n: of };

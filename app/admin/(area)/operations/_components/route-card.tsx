import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber, formatShare, rateDigits } from "@/app/_components/figures";
import type { RouteFigures } from "@/lib/runtime/metrics";

/** Rate, errors and latency of each route. */
export function RouteCard({ routes }: { routes: readonly RouteFigures[] }) {
  return (
    <Card
      title="Routes, last hour"
      lead="By template. A latency is the upper edge of its histogram bucket."
      flush
    >
      <DataTable
        caption="Requests by route"
        columns={ROUTE_COLUMNS}
        rows={routes}
        rowKey={(row) => row.route}
        cards={false}
        empty={<EmptyState title="No request yet">Counts start with the process.</EmptyState>}
      />
    </Card>
  );
}

/** A latency quantile in ms. With fewer requests than `min` it is a dash, because it would only be the slowest request. */
const latency = (ms: number | null, requests: number, min: number) =>
  requests < min ? "–" : ms === null ? "> 2,500" : formatNumber(ms, ms < 10 ? 1 : 0);

const ROUTE_COLUMNS: Column<RouteFigures>[] = [
  {
    key: "route",
    header: "Route",
    primary: true,
    cell: (row) => <span className="font-mono text-xs whitespace-nowrap">{row.route}</span>,
  },
  { key: "n", header: "Requests", align: "right", cell: (row) => formatNumber(row.requests) },
  { key: "rate", header: "A minute", align: "right", cell: (row) => formatNumber(row.perMinute, 1) },
  {
    key: "errors",
    header: "5xx",
    align: "right",
    cell: (row) =>
      row.requests === 0 ? "–" : formatShare(row.serverErrors / row.requests, rateDigits(row.requests)),
  },
  {
    key: "p50",
    header: "p50",
    unit: "ms",
    align: "right",
    cell: (row) => latency(row.p50Ms, row.requests, 2),
  },
  {
    key: "p95",
    header: "p95",
    unit: "ms",
    align: "right",
    cell: (row) => latency(row.p95Ms, row.requests, 20),
  },
  {
    key: "p99",
    header: "p99",
    unit: "ms",
    align: "right",
    cell: (row) => latency(row.p99Ms, row.requests, 100),
  },
];

import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatShare, rateDigits } from "@/app/_components/figures";
import { type FollowedBin, MIN_IN_BIN } from "@/lib/executions/own-record/own-calibration";

const COLUMNS: readonly Column<FollowedBin>[] = [
  {
    ...{ key: "said", header: "Confidence", primary: true },
    cell: ({ lo, hi }) => `${formatShare(lo)} to ${formatShare(hi)}`,
  },
  { key: "n", header: "n", align: "right", cell: ({ n }) => formatNumber(n) },
  {
    ...{ key: "average", header: "Mean confidence", align: "right" },
    cell: ({ avgConfidence }) => (avgConfidence === null ? "–" : formatShare(avgConfidence, 1)),
  },
  {
    ...{ key: "true", header: "Hit rate", align: "right" },
    cell: ({ hitRate, ci95, nCameTrue, n }) =>
      hitRate === null || ci95 === null
        ? `too few (${formatNumber(nCameTrue)} of ${formatNumber(n)})`
        : `${formatShare(hitRate, rateDigits(n))}, 95 %: ${formatShare(ci95[0])} to ${formatShare(ci95[1])}`,
  },
];

/** Mean confidence and hit rate of the signals that the subscriber followed, by band of confidence. */
export function OwnCalibration({ bins }: { bins: readonly FollowedBin[] }) {
  const used = bins.filter(({ n }) => n > 0);
  if (used.length === 0)
    return (
      <p className="px-4 py-4 text-sm text-muted sm:px-6">
        No signal that you followed has a result yet. A rate needs {MIN_IN_BIN} signals in one band.
      </p>
    );
  return (
    <DataTable
      caption="Followed signals by confidence"
      columns={COLUMNS}
      rows={used}
      rowKey={({ lo }) => lo}
    />
  );
}

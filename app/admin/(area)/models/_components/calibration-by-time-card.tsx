import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber, formatShare, formatSigned, rateDigits } from "@/app/_components/figures";
import type { CalibrationByTime, CalibrationTimeGroup } from "@/lib/engine/scores/calibration-by-time";

/** P(NO_TRADE) compared with the outcomes, by hour or by weekday. */
export function CalibrationByTimeCard({ by, of }: { by: "hour" | "weekday"; of: CalibrationByTime }) {
  const { groups, error, byChance } = of;
  return (
    <Card
      title={`NO TRADE by ${by}`}
      lead={
        error === null
          ? `Forecast and actual share of NO TRADE by ${by} of the candle's close, New York time.`
          : `Average error ${points(error)} points; perfect forecasts show up to ${points(byChance)} by chance. New York time of the candle's close.`
      }
      flush
    >
      <DataTable
        caption={`Calibration of NO TRADE by ${by}`}
        columns={COLUMNS[by]}
        rows={groups}
        rowKey={({ place }) => place}
        cards={false}
        empty={<EmptyState title="No outcomes yet">The first outcome needs 12 later candles.</EmptyState>}
      />
    </Card>
  );
}

const points = (share: number) => formatNumber(100 * share, 1);
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

const columns = (header: string, name: (place: number) => string): Column<CalibrationTimeGroup>[] => [
  { key: "place", header, primary: true, cell: ({ place }) => name(place) },
  {
    key: "said",
    header: "Forecast",
    align: "right",
    cell: ({ said, n }) => formatShare(said, rateDigits(n)),
  },
  { key: "came", header: "Actual", align: "right", cell: ({ came, n }) => formatShare(came, rateDigits(n)) },
  {
    key: "gap",
    header: "Error",
    unit: "points",
    align: "right",
    cell: ({ said, came, n }) => formatSigned(100 * (said - came), rateDigits(n)),
  },
  { key: "n", header: "n", align: "right", cell: ({ n }) => formatNumber(n) },
];

const COLUMNS = {
  hour: columns("Hour", (place) => `${place}:00`),
  weekday: columns("Weekday", (place) => WEEKDAYS[place] ?? ""),
};

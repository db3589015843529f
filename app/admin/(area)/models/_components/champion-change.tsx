import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { formatDay } from "@/app/_components/times";
import type { ModelVersion } from "@/db/queries/models";
import type { Quality } from "@/lib/admin/read-quality";

interface Difference {
  name: string;
  before: string;
  after: string;
}

/** The champion compared with the model that it replaced. */
export function ChampionChange({
  champion,
  former,
  quality,
}: {
  champion: ModelVersion;
  former: ModelVersion;
  quality: Quality;
}) {
  const calibrationOf = (model: ModelVersion) =>
    quality.calibration.find(
      (row) => row.symbol === model.symbol && row.tf_code === model.timeframe && row.model_v === model.modelV,
    );
  const before = calibrationOf(former);
  const after = calibrationOf(champion);
  const rows: Difference[] = [
    { name: "Model", before: former.modelV, after: champion.modelV },
    { name: "Trained", before: formatDay(former.trainedAt), after: formatDay(champion.trainedAt) },
    { name: "AUC, walk-forward", before: figure(former.aucWf, 3), after: figure(champion.aucWf, 3) },
    { name: "Profit factor, walk-forward", before: figure(former.pfWf, 2), after: figure(champion.pfWf, 2) },
    { name: "ECE", before: share(before?.ece), after: share(after?.ece) },
    { name: "Brier", before: figure(before?.brier, 3), after: figure(after?.brier, 3) },
    {
      name: "BUY, SELL, NO TRADE in training",
      before: frequencies(former.classFreq),
      after: frequencies(champion.classFreq),
    },
  ];
  return (
    <DataTable
      caption="The champion and the model that it replaced"
      columns={COLUMNS}
      rows={rows}
      rowKey={(row) => row.name}
    />
  );
}

const COLUMNS: Column<Difference>[] = [
  { key: "name", header: "Figure", primary: true, cell: (row) => row.name },
  { key: "before", header: "Before", align: "right", cell: (row) => row.before },
  { key: "after", header: "Now", align: "right", cell: (row) => row.after },
];

const figure = (value: number | null | undefined, digits: number) =>
  value == null ? "–" : formatNumber(value, digits);
const share = (value: number | null | undefined) => (value == null ? "–" : formatShare(value, 1));
const frequencies = (shares: number[] | null) => shares?.map((part) => formatShare(part)).join(", ") ?? "–";

import { type Column, DataTable } from "@/app/_components/data-table";
import { figureOrigin } from "@/app/_components/figure-origin";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { formatDay } from "@/app/_components/times";
import type { ModelVersion } from "@/db/queries/models";

interface Difference {
  name: string;
  before: string;
  after: string;
}

/**
 * The champion compared with the model that it replaced, by the figures of their training or registration. Live scores
 * are left out: an ECE shrinks with the number of forecasts, so a new champion would look worse than an equal former
 * one, and Brier scores of two periods differ by their markets.
 */
export function ChampionChange({ champion, former }: { champion: ModelVersion; former: ModelVersion }) {
  const rows: Difference[] = [
    { name: "Model", before: former.modelV, after: champion.modelV },
    { name: "Trained", before: formatDay(former.trainedAt), after: formatDay(champion.trainedAt) },
    {
      name: "Origin of AUC and profit factor",
      before: figureOrigin(former.nWf),
      after: figureOrigin(champion.nWf),
    },
    { name: "AUC", before: figure(former.aucWf, 3), after: figure(champion.aucWf, 3) },
    { name: "Profit factor", before: figure(former.pfWf, 2), after: figure(champion.pfWf, 2) },
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
const frequencies = (shares: number[] | null) => shares?.map((part) => formatShare(part)).join(", ") ?? "–";

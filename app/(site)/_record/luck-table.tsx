import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { GLOSSARY } from "@/app/_components/glossary";
import { MoneyText } from "@/app/_components/money-text";
import type { RecordResults } from "@/lib/wire/contracts/record";
import { MeanResult, WinRate } from "./figures-with-interval";
import { ForecasterName } from "./forecaster-name";

interface Row {
  name: string;
  about: string | null;
  results: RecordResults;
}

const COLUMNS: Column<Row>[] = [
  {
    key: "name",
    header: "Entries by",
    primary: true,
    cell: ({ name, about }) => <ForecasterName name={name} about={about} />,
  },
  { key: "win", header: "Win rate", align: "right", cell: ({ results }) => <WinRate results={results} /> },
  {
    key: "mean",
    header: "Mean result",
    unit: "R",
    align: "right",
    cell: ({ results }) => <MeanResult results={results} />,
  },
  {
    key: "total",
    header: "Total",
    unit: "R",
    align: "right",
    cell: ({ results }) => <MoneyText value={results.total_r} mark={false} />,
  },
  {
    key: "factor",
    header: "Profit factor",
    align: "right",
    cell: ({ results }) =>
      results.enough && results.profit_factor !== null ? formatNumber(results.profit_factor, 2) : "–",
  },
  {
    key: "drawdown",
    header: "Deepest drawdown",
    unit: "R, by day",
    align: "right",
    cell: ({ results }) => formatNumber(results.max_drawdown_r, 2),
  },
];

/** The signals compared with the coin and the class frequencies on the same candles. */
export function LuckComparisonTable({
  about,
  model,
  coin,
  frequencies,
}: {
  about: string;
  model: RecordResults;
  coin: RecordResults;
  frequencies: RecordResults;
}) {
  return (
    <DataTable
      caption={`Results of ${about} compared with a coin and the class frequencies`}
      columns={COLUMNS}
      rows={[
        { name: "The signals", about: GLOSSARY.followed.text, results: model },
        { name: GLOSSARY.coin.term, about: GLOSSARY.coin.text, results: coin },
        { name: GLOSSARY.frequencies.term, about: GLOSSARY.frequencies.text, results: frequencies },
      ]}
      rowKey={(row) => row.name}
    />
  );
}

import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { GLOSSARY } from "@/app/_components/glossary";
import { Skill } from "@/app/(site)/_record/figures-with-interval";
import { ForecasterName } from "@/app/(site)/_record/forecaster-name";
import type { ForecastQuality } from "@/lib/wire/contracts/record";

interface Row {
  name: string;
  about?: string;
  quality: ForecastQuality;
}

const figure = (value: number | null | undefined, digits = 3) =>
  value == null ? "–" : formatNumber(value, digits);

const COLUMNS: Column<Row>[] = [
  {
    key: "name",
    header: "Forecasts",
    primary: true,
    cell: ({ name, about }) => <ForecasterName name={name} about={about} />,
  },
  { key: "n", header: "n", align: "right", cell: ({ quality }) => formatNumber(quality.n) },
  {
    key: "accuracy",
    header: "Right",
    hint: "How often the likeliest of the three outcomes came true, whatever the signal was.",
    align: "right",
    cell: ({ quality: { accuracy, accuracy_ci95: ci95 } }) =>
      accuracy === null ? (
        "–"
      ) : (
        <span className="block leading-tight">
          <span className="block">{formatShare(accuracy, 1)}</span>
          {ci95 && (
            <span className="block text-xs text-faint">
              {formatShare(ci95[0])} to {formatShare(ci95[1])}
            </span>
          )}
        </span>
      ),
  },
  {
    key: "ece",
    header: "ECE",
    hint: GLOSSARY.ece.text,
    align: "right",
    cell: ({ quality }) => (quality.ece === null ? "–" : formatShare(quality.ece, 1)),
  },
  {
    key: "brier",
    header: "Brier",
    hint: "Sum of squared errors of the three probabilities, 0 to 2; lower is better.",
    align: "right",
    cell: ({ quality }) => figure(quality.brier),
  },
  {
    key: "skill",
    header: "Skill",
    hint: GLOSSARY.skill.text,
    align: "right",
    cell: ({ quality }) => <Skill skill={quality.skill} enough={quality.enough} />,
  },
  {
    key: "reliability",
    header: "Reliability",
    hint: GLOSSARY.murphy.text,
    align: "right",
    cell: ({ quality }) => figure(quality.decomposition?.reliability, 4),
  },
  {
    key: "resolution",
    header: "Resolution",
    align: "right",
    cell: ({ quality }) => figure(quality.decomposition?.resolution, 4),
  },
  {
    key: "uncertainty",
    header: "Uncertainty",
    align: "right",
    cell: ({ quality }) => figure(quality.decomposition?.uncertainty, 4),
  },
];

/** Quality of the probabilities, compared with the coin and the class frequencies. */
export function ForecastTable({
  slot,
  model,
  frequencies,
  coin,
}: {
  slot: string;
  model: ForecastQuality;
  frequencies: ForecastQuality;
  coin: ForecastQuality;
}) {
  return (
    <DataTable
      caption={`Forecasts of ${slot} compared with those of two bots`}
      columns={COLUMNS}
      rows={[
        { name: "The model", quality: model },
        { name: GLOSSARY.frequencies.term, about: GLOSSARY.frequencies.text, quality: frequencies },
        { name: "Coin", about: "Always forecasts a third each.", quality: coin },
      ]}
      rowKey={(row) => row.name}
    />
  );
}

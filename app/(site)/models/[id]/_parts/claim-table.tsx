import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatShare, formatSigned } from "@/app/_components/figures";
import { GLOSSARY } from "@/app/_components/glossary";
import { compareWithClaim } from "@/lib/signals/record/compare-with-claim";
import { MIN_RESULTS_FOR_RATES, type PublicModel } from "@/lib/wire/contracts/record";

type Claim = NonNullable<PublicModel["claim"]>;
type Result = PublicModel["result"];
type Estimate = Result["skill"];

interface Row {
  name: string;
  write: (value: number) => string;
  claimed: Estimate | null;
  came: Estimate;
}

function Written({ estimate, write }: { estimate: Estimate | null; write: Row["write"] }) {
  if (estimate === null || estimate.value === null) return <span className="text-faint">–</span>;
  return (
    <span className="block leading-tight">
      <span className="block">{write(estimate.value)}</span>
      {estimate.ci95 && (
        <span className="block text-xs text-faint">
          {write(estimate.ci95[0])} to {write(estimate.ci95[1])}
        </span>
      )}
    </span>
  );
}

const VERDICTS = { below: "below the claim", within: "as claimed", above: "above the claim" } as const;

function verdict({ claimed, came }: Row, n: number): string {
  if (claimed === null) return "–";
  if (n < MIN_RESULTS_FOR_RATES) return "too few results";
  const compared = compareWithClaim(claimed, came);
  return compared === null ? "not compared" : VERDICTS[compared];
}

/** What a model claimed before its first signal (sealed in the ledger), next to its results so far. */
export function ClaimTable({ name, claim, result }: { name: string; claim: Claim | null; result: Result }) {
  const rows: Row[] = [
    {
      name: GLOSSARY.skill.term,
      write: (value) => `${formatSigned(value * 100, 1)} %`,
      claimed: claim?.skill ?? null,
      came: result.skill,
    },
    {
      name: GLOSSARY.ece.term,
      write: (value) => formatShare(value, 1),
      claimed: claim?.ece ?? null,
      came: result.ece,
    },
    {
      name: "Share of directions",
      write: (value) => formatShare(value, 1),
      claimed: claim?.directional_share ?? null,
      came: result.directional_share,
    },
    {
      name: "Deepest drawdown, R",
      write: (value) => formatNumber(value, 1),
      // The sealed interval is not shown: in earlier releases it could exclude the drawdown itself.
      claimed: claim && { ...claim.max_drawdown_r, ci95: null },
      came: result.max_drawdown_r,
    },
  ];
  const columns: Column<Row>[] = [
    { key: "name", header: "Figure", primary: true, cell: (row) => row.name },
    {
      key: "claimed",
      header: "Claimed",
      ...(claim && { unit: `n = ${formatNumber(claim.n)}` }),
      align: "right",
      cell: (row) => <Written estimate={row.claimed} write={row.write} />,
    },
    {
      key: "came",
      header: "Result",
      unit: `n = ${formatNumber(result.n)}`,
      align: "right",
      cell: (row) =>
        result.n < MIN_RESULTS_FOR_RATES ? (
          <span className="text-xs text-faint">too few results</span>
        ) : (
          <Written estimate={row.came} write={row.write} />
        ),
    },
    ...(claim
      ? [
          {
            key: "verdict",
            header: "So far",
            align: "right" as const,
            cell: (row: Row) => verdict(row, result.n),
          },
        ]
      : []),
  ];
  return (
    <DataTable
      caption={`Claims and results of ${name}`}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.name}
    />
  );
}

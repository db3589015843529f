import { LinkButton } from "@/app/_components/button";
import { DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import { type Plan, plans } from "@/lib/access/plans";
import { Section } from "./section";

function Price({ plan: { priceText, shopUrl } }: { plan: Plan }) {
  if (priceText === null) return "–";
  return shopUrl === null ? (
    priceText
  ) : (
    <Link href={shopUrl} className="link">
      {priceText}
    </Link>
  );
}

const listed = (codes: readonly string[] | null, all: string) => codes?.join(", ") ?? all;

/** The plans as the interface enforces them: the same table of limits, not a copy of it. */
export function Plans({ shopUrl }: { shopUrl: string | null }) {
  const offered = plans().filter(({ isShown }) => isShown);
  const hasPrices = offered.some(({ priceText }) => priceText !== null);
  return (
    <Section
      anchor="plans"
      wide
      title="Plans"
      lead="A plan decides what a key sees and how often it may ask."
    >
      <div className="overflow-hidden rounded-lg border bg-raised">
        <DataTable
          caption="Plans"
          rows={offered}
          rowKey={(row) => row.name}
          columns={[
            { key: "name", header: "Plan", primary: true, cell: (row) => row.title },
            { key: "for", header: "For", cell: (row) => row.forWhom },
            { key: "symbols", header: "Symbols", cell: (row) => listed(row.symbols, "all") },
            { key: "timeframes", header: "Timeframes", cell: (row) => listed(row.timeframes, "all") },
            {
              key: "rate",
              header: "Requests",
              unit: "per minute",
              align: "right",
              cell: (row) => formatNumber(row.rateLimitPerMin),
            },
            ...(hasPrices
              ? [{ key: "price", header: "Price", cell: (row: Plan) => <Price plan={row} /> }]
              : []),
          ]}
        />
      </div>
      {shopUrl && (
        <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
          <LinkButton href={shopUrl} variant="primary">
            See prices and subscribe
          </LinkButton>
          <span className="text-sm text-muted">On {new URL(shopUrl).host}. The key arrives by e-mail.</span>
        </div>
      )}
    </Section>
  );
}

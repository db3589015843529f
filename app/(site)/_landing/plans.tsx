import { LinkButton } from "@/app/_components/button";
import { DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { PLANS } from "@/lib/access/plans";
import { Section } from "./section";

const FOR_SALE = [
  { tier: "telegram", name: "Telegram", forWhom: "Reading along, with room to try the interface" },
  { tier: "basic", name: "Basic", forWhom: "One trading client on the main symbols" },
  { tier: "pro", name: "Pro", forWhom: "Every slot, several clients, your own analysis" },
] as const;

const listed = (codes: readonly string[] | null, all: string) => codes?.join(", ") ?? all;

/** The plans as the interface enforces them: the same table of limits, not a copy of it. */
export function Plans({ shopUrl }: { shopUrl: string | null }) {
  return (
    <Section
      wide
      title="Plans"
      lead="A plan decides what a key sees and how often it may ask. A higher plan includes the lower ones."
    >
      <div className="overflow-hidden rounded-lg border bg-raised">
        <DataTable
          caption="Plans"
          rows={FOR_SALE.map((plan) => ({ ...plan, ...PLANS[plan.tier] }))}
          rowKey={(row) => row.tier}
          columns={[
            { key: "name", header: "Plan", primary: true, cell: (row) => row.name },
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

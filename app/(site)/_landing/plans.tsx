import { LinkButton } from "@/app/_components/button";
import { DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { PLANS } from "@/lib/access/plans";
import { PURCHASABLE_PLANS, type PurchasablePlan } from "@/lib/vocabulary";
import { Section } from "./section";

/** What a plan that is for sale is called here, and whom it suits. */
const WORDS: Record<PurchasablePlan, { name: string; forWhom: string }> = {
  telegram: { name: "Telegram", forWhom: "Signals in your chat, with room to try the interface" },
  basic: { name: "Basic", forWhom: "One trading client on the main symbols" },
  pro: { name: "Pro", forWhom: "Every slot, several clients, your own analysis" },
};

const listed = (codes: readonly string[] | null, all: string) => codes?.join(", ") ?? all;

/** The plans as the interface enforces them: the same table of limits, not a copy of it. */
export function Plans({ shopUrl }: { shopUrl: string | null }) {
  return (
    <Section
      anchor="plans"
      wide
      title="Plans"
      lead="A plan decides what a key sees and how often it may ask. A higher plan includes the lower ones."
    >
      <div className="overflow-hidden rounded-lg border bg-raised">
        <DataTable
          caption="Plans"
          rows={PURCHASABLE_PLANS.map((tier) => ({ tier, ...WORDS[tier], ...PLANS[tier] }))}
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

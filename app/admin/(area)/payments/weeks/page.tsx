import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import type { Column } from "@/app/_components/data-table";
import { DataTable } from "@/app/_components/data-table";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { formatMoney } from "@/app/_components/money";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDayWithoutYear } from "@/app/_components/times";
import { db } from "@/db/client";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { type AmountSum, type PaymentWeek, readPaymentWeeks } from "@/lib/payments/read-weeks";
import { addDays } from "@/lib/time";

export const metadata: Metadata = { title: "Revenue by week" };

const WEEKS = 26;

/** New, renewed and lost subscriptions by week, with amounts where they are known. */
export default async function PaymentWeeks() {
  await requireAdminSession(adminPaths.paymentWeeks());
  const weeks = await readPaymentWeeks(db("heavy"), new Date(), WEEKS);
  const [present, last] = weeks;
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.payments(), label: "Payments" }}
        title="Revenue by week"
        lead="Monday to Sunday, UTC. Amounts count in the week of their payment, in the platform's currency. Currencies are not added together."
      />
      <div className="space-y-6">
        {present && last && (
          <StatRow columns={4} label="This week">
            <Stat
              label="Sold this week"
              value={formatNumber(present.nSold)}
              note={`${formatNumber(last.nSold)} last week`}
            />
            <Stat
              label="Renewed this week"
              value={formatNumber(present.nRenewed)}
              note={`${formatNumber(last.nRenewed)} last week`}
            />
            <Stat
              label="Lost this week"
              value={formatNumber(present.nLost)}
              note={`${formatNumber(last.nLost)} last week`}
              hint="Paying subscribers whose last key ended this week and who have no working key."
            />
            <Stat label="Paid this week" value={<Amounts of={present.paid} />} />
          </StatRow>
        )}
        <Card
          title={`The last ${WEEKS} weeks`}
          lead="A partial refund is subtracted from its payment. Subscribers who come back count as renewed and no longer as lost."
          flush
        >
          <DataTable
            caption="Weeks, newest first"
            columns={COLUMNS}
            rows={weeks}
            rowKey={(row) => row.from.getTime()}
            twoLines
          />
        </Card>
      </div>
    </>
  );
}

const COLUMNS: Column<PaymentWeek>[] = [
  {
    key: "week",
    header: "Week",
    primary: true,
    cell: ({ from }) => (
      <time dateTime={from.toISOString().slice(0, 10)}>
        {formatDayWithoutYear(from)} to {formatDayWithoutYear(addDays(from, 6))}
      </time>
    ),
  },
  count("sold", "Sold", ({ nSold }) => nSold),
  count("renewed", "Renewed", ({ nRenewed }) => nRenewed),
  count("lost", "Lost", ({ nLost }) => nLost),
  {
    key: "paid",
    header: "Paid",
    align: "right",
    phone: "upper",
    cell: ({ paid }) => <Amounts of={paid} />,
  },
  {
    key: "returned",
    header: "Refunded",
    align: "right",
    phone: "lower",
    cell: ({ returned }) => (
      <span className={returned.length === 0 ? "max-sm:hidden" : "inline-flex gap-1"}>
        <PhoneLabel>refunded</PhoneLabel>
        <Amounts of={returned} />
      </span>
    ),
  },
];

function count(key: string, header: string, of: (week: PaymentWeek) => number): Column<PaymentWeek> {
  return {
    key,
    header,
    align: "right",
    phone: "lower",
    cell: (week) => (
      <>
        {of(week) === 0 ? <span className="text-faint">0</span> : formatNumber(of(week))}{" "}
        <PhoneLabel>{header.toLowerCase()}</PhoneLabel>
      </>
    ),
  };
}

/** A label next to a figure on a phone, where the rows have no header. */
function PhoneLabel({ children }: { children: string }) {
  return <span className="sm:hidden">{children}</span>;
}

/** Amounts of a week, one line per currency, with the number of payments. */
function Amounts({ of: amounts }: { of: readonly AmountSum[] }) {
  if (amounts.length === 0) return <span className="text-faint">–</span>;
  return (
    <span className="inline-flex flex-col sm:items-end">
      {amounts.map(({ currency, amount, nKnown, n }) => (
        <span key={currency ?? ""} className="whitespace-nowrap">
          {nKnown > 0 && `${formatMoney(amount, currency)} `}
          <span className="text-xs font-normal tracking-normal text-muted">
            {nKnown === n
              ? `n = ${formatNumber(n)}`
              : `${nKnown > 0 ? `n = ${formatNumber(nKnown)}, ` : ""}${countWithNoun(n - nKnown, "amount")} unknown`}
          </span>
        </span>
      ))}
    </span>
  );
}

import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import type { Column } from "@/app/_components/data-table";
import { DataTable } from "@/app/_components/data-table";
import { formatNumber, pluralize } from "@/app/_components/figures";
import { moneyWords } from "@/app/_components/money";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDayOnly } from "@/app/_components/times";
import { db } from "@/db/client";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { type PaymentWeek, readPaymentWeeks, type WeekAmount } from "@/lib/payments/read-weeks";
import { addDays } from "@/lib/time";

export const metadata: Metadata = { title: "Money per week" };

const WEEKS = 26;

/** What was sold, renewed and lost in each of the last weeks, with the money of it where amounts are known. */
export default async function PaymentWeeks() {
  await requireAdminSession(adminPaths.paymentWeeks());
  const weeks = await readPaymentWeeks(db("heavy"), new Date(), WEEKS);
  const [present, last] = weeks;
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.payments(), label: "Payments" }}
        title="Money per week"
        lead="Monday to Sunday, UTC. Money is counted in the week in which it was paid, as the platform names it; currencies are never added up."
      />
      <div className="space-y-6">
        {present && last && (
          <StatRow columns={4} label="This week">
            <Stat
              label="Sold this week"
              value={formatNumber(present.nSold)}
              note={`${last.nSold} last week`}
            />
            <Stat
              label="Renewed this week"
              value={formatNumber(present.nRenewed)}
              note={`${last.nRenewed} last week`}
            />
            <Stat
              label="Lost this week"
              value={formatNumber(present.nLost)}
              note={`${last.nLost} last week`}
              hint="Subscribers who once paid, have no key that works now, and whose last key ended this week."
            />
            <Stat label="Paid this week" value={<Amounts of={present.paid} />} />
          </StatRow>
        )}
        <Card
          title={`The last ${WEEKS} weeks`}
          lead="A refund of a part is taken off its payment. Subscribers who come back count as renewed and no longer as lost."
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
        {formatDayOnly(from)} to {formatDayOnly(addDays(from, 6))}
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
    header: "Given back",
    align: "right",
    phone: "lower",
    cell: ({ returned }) => (
      <span className={returned.length === 0 ? "max-sm:hidden" : "inline-flex gap-1"}>
        <PhoneWord>given back</PhoneWord>
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
        <PhoneWord>{header.toLowerCase()}</PhoneWord>
      </>
    ),
  };
}

/** On a phone a row of two lines has no header above its figures. */
function PhoneWord({ children }: { children: string }) {
  return <span className="sm:hidden">{children}</span>;
}

/** One line for each currency, with the number of payments behind it. */
function Amounts({ of: amounts }: { of: readonly WeekAmount[] }) {
  if (amounts.length === 0) return <span className="text-faint">–</span>;
  return (
    <span className="inline-flex flex-col sm:items-end">
      {amounts.map(({ currency, amount, nKnown, n }) => (
        <span key={currency ?? ""} className="whitespace-nowrap">
          {nKnown > 0 && `${moneyWords(amount, currency)} `}
          <span className="text-xs font-normal tracking-normal text-muted">
            {nKnown === n
              ? `n = ${formatNumber(n)}`
              : `${nKnown > 0 ? `n = ${formatNumber(nKnown)}, ` : ""}${pluralize(n - nKnown, "amount")} unknown`}
          </span>
        </span>
      ))}
    </span>
  );
}

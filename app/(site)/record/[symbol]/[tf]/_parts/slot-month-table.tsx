import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { GLOSSARY } from "@/app/_components/glossary";
import { MoneyText } from "@/app/_components/money-text";
import { formatMonth } from "@/app/_components/times";
import { Skill } from "@/app/(site)/_record/figures-with-interval";
import type { PublicRecord } from "@/lib/wire/contracts/record";

/** A month with the address of this page for that month. */
type Month = PublicRecord["months"][number] & { href: string };

const brier = (value: number | null) => (value === null ? "–" : formatNumber(value, 3));

/** A month without trades shows a dash, because 0.00 would read as a result. */
const result = ({ n_followed: n }: Month, value: number) =>
  n === 0 ? "–" : <MoneyText value={value} mark={false} />;

/** Forecasts and results by month, newest first, to show changes over time. */
export function SlotMonthTable({ slot, months }: { slot: string; months: readonly Month[] }) {
  const columns: Column<Month>[] = [
    {
      key: "month",
      header: "Month",
      primary: true,
      cell: ({ month, href }) => (
        // A plain link, because the page has no client-side router.
        <a href={href} className="link">
          {formatMonth(new Date(`${month}-01T00:00:00Z`))}
        </a>
      ),
    },
    { key: "n", header: "Forecasts", align: "right", cell: ({ n }) => formatNumber(n) },
    { key: "brier", header: "Brier", align: "right", cell: (row) => brier(row.brier) },
    {
      key: "frequencies",
      header: "Baseline",
      align: "right",
      cell: (row) => brier(row.brier_frequencies),
    },
    {
      key: "skill",
      header: "Skill",
      hint: GLOSSARY.skill.text,
      align: "right",
      cell: (row) => <Skill skill={row.skill} enough={row.brier !== null} />,
    },
    { key: "followed", header: "Trades", align: "right", cell: (row) => formatNumber(row.n_followed) },
    {
      key: "total",
      header: "Total",
      unit: "R",
      align: "right",
      cell: (row) => result(row, row.total_r),
    },
    {
      key: "coin",
      header: "Coin",
      unit: "R",
      align: "right",
      cell: (row) => result(row, row.coin_r),
    },
  ];
  return (
    <DataTable
      caption={`${slot} month by month`}
      columns={columns}
      rows={months.toSorted((a, b) => (a.month < b.month ? 1 : -1))}
      rowKey={(row) => row.month}
    />
  );
}

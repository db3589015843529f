import { Badge } from "@/app/_components/badge";
import { type Column, DataTable, type SortDirection } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { GLOSSARY } from "@/app/_components/glossary";
import { MoneyText } from "@/app/_components/money-text";
import {
  MeanResult,
  SkillWithInterval,
  WinRate,
  winRateInLine,
} from "@/app/(site)/_record/figures-with-interval";
import type { SlotSortOrder } from "@/app/(site)/_record/record-page-query";
import type { RecordSlot } from "@/lib/wire/contracts/record";

/** A slot with the address of its page. */
export type SlotRow = Pick<RecordSlot, "symbol" | "tf_code" | "model" | "coin" | "forecasts" | "evidence"> & {
  href: string;
};

/** The link of each column heading and the current order. */
export type ColumnSortLinks = Record<SlotSortOrder, { sortHref: string; sorted?: SortDirection }>;

/** `isSimulated`: on a simulated market the test for an edge can be passed, and proves nothing. */
export function SlotRows({
  rows,
  sorting,
  isSimulated,
}: {
  rows: readonly SlotRow[];
  sorting: ColumnSortLinks;
  isSimulated: boolean;
}) {
  const columns: Column<SlotRow>[] = [
    {
      key: "slot",
      header: "Slot",
      primary: true,
      ...sorting.slot,
      cell: (slot) => (
        // A plain link, because the page has no client-side router.
        <a href={slot.href} className="link">
          {slot.symbol} {slot.tf_code}
        </a>
      ),
    },
    {
      key: "followed",
      header: "Trades",
      align: "right",
      phone: "lower",
      ...sorting.followed,
      cell: (slot) => (
        <>
          <span className="sm:hidden">n = </span>
          {formatNumber(slot.model.n)}
        </>
      ),
    },
    {
      key: "win",
      header: "Win rate",
      align: "right",
      phone: "lower",
      ...sorting.win,
      cell: (slot) => (
        <>
          <span className="sm:hidden">{winRateInLine(slot.model)}</span>
          <span className="max-sm:hidden">
            <WinRate results={slot.model} withN={false} />
          </span>
        </>
      ),
    },
    {
      key: "mean",
      header: "Mean",
      unit: "R",
      hint: GLOSSARY.r.text,
      align: "right",
      ...sorting.mean,
      cell: (slot) => <MeanResult results={slot.model} withN={false} />,
    },
    {
      key: "total",
      header: "Total",
      unit: "R",
      align: "right",
      ...sorting.total,
      phone: "upper",
      cell: (slot) => (
        <>
          <MoneyText value={slot.model.n === 0 ? null : slot.model.total_r} digits={1} mark={false} />
          {slot.model.n > 0 && <span className="text-xs text-muted sm:hidden"> R</span>}
        </>
      ),
    },
    {
      key: "coin",
      header: "Coin",
      unit: "R",
      hint: `${GLOSSARY.coin.text} Ordered by how far the signals are ahead of it.`,
      align: "right",
      ...sorting.coin,
      phone: "lower",
      cell: (slot) =>
        slot.coin.n === 0 ? (
          <span className="text-faint max-sm:hidden">–</span>
        ) : (
          <>
            <span className="sm:hidden">coin </span>
            <MoneyText value={slot.coin.total_r} digits={1} mark={false} />
            <span className="sm:hidden"> R</span>
          </>
        ),
    },
    {
      key: "drawdown",
      header: "Drawdown",
      unit: "R",
      hint: GLOSSARY.drawdown.text,
      align: "right",
      ...sorting.drawdown,
      cell: (slot) => (slot.model.n === 0 ? "–" : formatNumber(slot.model.max_drawdown_r, 1)),
    },
    {
      key: "skill",
      header: "Skill",
      hint: GLOSSARY.skill.text,
      align: "right",
      ...sorting.skill,
      cell: (slot) => <SkillWithInterval forecasts={slot.forecasts} />,
    },
    {
      key: "shown",
      header: isSimulated ? "Test passed" : "Edge proved",
      hint: isSimulated
        ? "The test for an edge, in this simulation. It proves nothing about a real market."
        : GLOSSARY.shown.text,
      align: "right",
      cell: (slot) => <Evidence slot={slot} />,
    },
  ];
  return (
    <DataTable
      caption="The record of every slot"
      columns={columns}
      rows={rows}
      rowKey={(slot) => `${slot.symbol} ${slot.tf_code}`}
      twoLines
    />
  );
}

/** Whether the slot's whole record passes the test for an edge, and in what: the direction, the probability, or both. */
function Evidence({ slot: { evidence } }: { slot: SlotRow }) {
  const { direction, probability } = evidence;
  if (!direction.shown && !probability.shown) return <span className="text-faint">not yet</span>;
  return (
    <span className="inline-flex flex-wrap justify-end gap-1">
      {direction.shown && <Badge tone="accent">direction</Badge>}
      {probability.shown && <Badge tone="accent">probability</Badge>}
    </span>
  );
}

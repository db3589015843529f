import { Badge } from "@/app/_components/badge";
import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { type Shown, SORTS, type Sort, shownQuery, sortSlots } from "@/app/(site)/_record/address";
import { MeanResult, Skill, WinRate, winRateInLine } from "@/app/(site)/_record/rate";
import { WORDS } from "@/app/(site)/_record/words";
import { paths } from "@/lib/paths";
import type { RecordSlot } from "@/lib/wire/contracts/record";

/** Every slot of the record, ordered by the column that the address names. */
export function SlotTable({ slots, shown }: { slots: readonly RecordSlot[]; shown: Shown }) {
  const sort = shown.sort ?? "slot";
  const order = shown.order ?? SORTS[sort].first;
  const sortable = (column: Sort): Pick<Column<RecordSlot>, "sortHref" | "sorted"> => {
    const isSorted = column === sort;
    const next = isSorted ? (order === "asc" ? "desc" : "asc") : SORTS[column].first;
    return {
      sortHref: paths.record(shownQuery({ ...shown, sort: column, order: next, table: undefined })),
      ...(isSorted && { sorted: order === "asc" ? ("ascending" as const) : ("descending" as const) }),
    };
  };
  const columns: Column<RecordSlot>[] = [
    {
      key: "slot",
      header: "Slot",
      primary: true,
      ...sortable("slot"),
      cell: (slot) => (
        // A plain link: the page has no router, and there is one for each slot.
        <a
          href={paths.recordSlot(
            slot.symbol,
            slot.tf_code,
            shownQuery({ model: shown.model, period: shown.period }),
          )}
          className="link"
        >
          {slot.symbol} {slot.tf_code}
        </a>
      ),
    },
    {
      key: "followed",
      header: "Followed",
      align: "right",
      phone: "lower",
      ...sortable("followed"),
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
      ...sortable("win"),
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
      hint: WORDS.r.text,
      align: "right",
      ...sortable("mean"),
      cell: (slot) => <MeanResult results={slot.model} withN={false} />,
    },
    {
      key: "total",
      header: "Total",
      unit: "R",
      align: "right",
      ...sortable("total"),
      phone: "upper",
      cell: (slot) => (
        <>
          <MoneyText value={slot.model.total_r} digits={1} mark={false} />
          <span className="text-xs text-muted sm:hidden"> R</span>
        </>
      ),
    },
    {
      key: "coin",
      header: "Coin",
      unit: "R",
      hint: `${WORDS.coin.text} Ordered by how far the signals are ahead of it.`,
      align: "right",
      ...sortable("coin"),
      phone: "lower",
      cell: (slot) => (
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
      align: "right",
      ...sortable("drawdown"),
      cell: (slot) => formatNumber(slot.model.max_drawdown_r, 1),
    },
    {
      key: "skill",
      header: "Skill",
      hint: WORDS.skill.text,
      align: "right",
      ...sortable("skill"),
      cell: (slot) => <Skill forecasts={slot.forecasts} />,
    },
    {
      key: "shown",
      header: "Shown",
      hint: WORDS.shown.text,
      align: "right",
      cell: (slot) => <Evidence slot={slot} />,
    },
  ];
  return (
    <DataTable
      caption="The record of every slot"
      columns={columns}
      rows={sortSlots(slots, sort, order)}
      rowKey={(slot) => `${slot.symbol} ${slot.tf_code}`}
      bare
      twoLines
    />
  );
}

/** What the slot's whole record shows to be more than luck. */
function Evidence({ slot: { evidence } }: { slot: RecordSlot }) {
  const { direction, probability } = evidence;
  if (!direction.shown && !probability.shown) return <span className="text-faint">nothing yet</span>;
  return (
    <span className="inline-flex flex-wrap justify-end gap-1">
      {direction.shown && <Badge tone="accent">direction</Badge>}
      {probability.shown && <Badge tone="accent">probability</Badge>}
    </span>
  );
}

import type { SortDirection } from "@/app/_components/data-table";
import {
  type RecordPageQuery,
  recordPageQueryParams,
  SLOT_SORT_ORDERS,
  type SlotSortOrder,
  sortSlots,
} from "@/app/(site)/_record/record-page-query";
import { paths } from "@/lib/paths";
import type { RecordSlot } from "@/lib/wire/contracts/record";
import { SlotRows } from "./slot-rows";

const DIRECTIONS: Record<"asc" | "desc", SortDirection> = { asc: "ascending", desc: "descending" };

/** Every slot of the record, sorted as the address says. */
export function SlotTable({
  slots,
  shown,
  isSimulated,
}: {
  slots: readonly RecordSlot[];
  shown: RecordPageQuery;
  isSimulated: boolean;
}) {
  const sort = shown.sort ?? "slot";
  const order = shown.order ?? SLOT_SORT_ORDERS[sort].first;
  const sortable = (column: SlotSortOrder) => {
    const isSorted = column === sort;
    const next = isSorted ? (order === "asc" ? "desc" : "asc") : SLOT_SORT_ORDERS[column].first;
    return {
      sortHref: paths.record(
        recordPageQueryParams({ ...shown, sort: column, order: next, table: undefined }),
      ),
      ...(isSorted && { sorted: DIRECTIONS[order] }),
    };
  };
  const chosen = recordPageQueryParams({ model: shown.model, period: shown.period });
  return (
    <SlotRows
      isSimulated={isSimulated}
      rows={sortSlots(slots, sort, order).map(({ symbol, tf_code, model, coin, forecasts, evidence }) => ({
        ...{ symbol, tf_code, model, coin, forecasts, evidence },
        href: paths.recordSlot(symbol, tf_code, chosen),
      }))}
      sorting={{
        slot: sortable("slot"),
        followed: sortable("followed"),
        win: sortable("win"),
        mean: sortable("mean"),
        total: sortable("total"),
        coin: sortable("coin"),
        drawdown: sortable("drawdown"),
        skill: sortable("skill"),
      }}
    />
  );
}

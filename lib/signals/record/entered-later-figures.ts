import type { LateSignalSums, SlotNameRow } from "@/db/queries/record";
import { compareSlots } from "@/lib/market/slot-order";
import { type EnteredLaterFigures, MIN_RESULTS_FOR_RATES } from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import { fromMicro } from "./fixed-point";

const NOTICE =
  "Entered later: these signals may have been chosen when their outcomes were known. They prove nothing and are in no figure of the record.";

/** Figures of the signals that were entered later, by slot and over all slots; null if there are none. */
export function enteredLaterFiguresOf(
  sums: readonly LateSignalSums[],
  slots: readonly SlotNameRow[],
): EnteredLaterFigures | null {
  const ofSlot = new Map(sums.map((one) => [one.slotId, one]));
  const items = slots.toSorted(compareSlots).flatMap(({ slotId, symbol, timeframe }) => {
    const late = ofSlot.get(slotId);
    return late ? [{ symbol, tf_code: timeframe, ...figuresOf([late]) }] : [];
  });
  return items.length === 0 ? null : { notice: NOTICE, ...figuresOf(sums), count: items.length, items };
}

function figuresOf(sums: readonly LateSignalSums[]) {
  const total = (pick: (one: LateSignalSums) => number) => sums.reduce((all, one) => all + pick(one), 0);
  const [followed, wins, losses] = [
    total((one) => one.nFollowed),
    total((one) => one.wins),
    total((one) => one.losses),
  ];
  const r = total((one) => one.r);
  const enough = followed >= MIN_RESULTS_FOR_RATES;
  return {
    n: total((one) => one.n),
    n_followed: followed,
    n_wins: wins,
    n_losses: losses,
    win_rate_pct: enough && wins + losses > 0 ? roundFigure((100 * wins) / (wins + losses)) : null,
    total_r: roundFigure(fromMicro(r)),
    expectancy_r: enough ? roundFigure(fromMicro(r) / followed) : null,
    first_day: sums.map(({ firstDay }) => firstDay).toSorted()[0] ?? "",
    last_day:
      sums
        .map(({ lastDay }) => lastDay)
        .toSorted()
        .at(-1) ?? "",
  };
}

import type { DatabaseHandle } from "@/db/client";
import { type PaymentWeekTotal, sumPaymentWeeks } from "@/db/queries/payment-weeks";
import { addDays, DAY_MS } from "@/lib/time";

/** Sum of payments, or of refunded and charged-back payments, in one currency; less the partial refunds of each. */
export interface AmountSum {
  /** null: the payments name none. */
  currency: string | null;
  amount: string;
  /** Number of these payments with a known amount. Only they are in `amount`; `n` counts all. */
  nKnown: number;
  n: number;
}

/** One week, Monday to Sunday, UTC. */
export interface PaymentWeek {
  from: Date;
  nSold: number;
  nRenewed: number;
  nReturned: number;
  nLost: number;
  /** New sales and renewals, even those that were refunded later, by currency. */
  paid: AmountSum[];
  returned: AmountSum[];
}

/** The last weeks, the present one first, including weeks without payments. */
export async function readPaymentWeeks(
  handle: DatabaseHandle,
  now: Date,
  nWeeks: number,
): Promise<PaymentWeek[]> {
  const present = mondayOf(now);
  const since = addDays(present, -7 * (nWeeks - 1));
  const totals = await sumPaymentWeeks(handle, since);
  return Array.from({ length: nWeeks }, (_, index) => {
    const from = addDays(present, -7 * index);
    return weekOf(
      from,
      totals.filter(({ week }) => week.getTime() === from.getTime()),
    );
  });
}

function weekOf(from: Date, totals: readonly PaymentWeekTotal[]): PaymentWeek {
  const count = (of: (total: PaymentWeekTotal) => number) =>
    totals.reduce((sum, total) => sum + of(total), 0);
  const amounts = (of: (total: PaymentWeekTotal) => Omit<AmountSum, "currency">): AmountSum[] =>
    totals.map((total) => ({ currency: total.currency, ...of(total) })).filter(({ n }) => n > 0);
  return {
    from,
    nSold: count(({ nSold }) => nSold),
    nRenewed: count(({ nRenewed }) => nRenewed),
    nReturned: count(({ nReturned }) => nReturned),
    nLost: count(({ nLost }) => nLost),
    paid: amounts(({ paid, nPaidKnown, nSold, nRenewed }) => ({
      amount: paid,
      nKnown: nPaidKnown,
      n: nSold + nRenewed,
    })),
    returned: amounts(({ returned, nReturnedKnown, nReturned }) => ({
      amount: returned,
      nKnown: nReturnedKnown,
      n: nReturned,
    })),
  };
}

/** 00:00 UTC on the Monday of an instant's week. */
function mondayOf(at: Date): Date {
  const day = Math.floor(at.getTime() / DAY_MS);
  // 1 January 1970 was a Thursday.
  return new Date((day - ((((day + 3) % 7) + 7) % 7)) * DAY_MS);
}

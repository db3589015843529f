import type { Money, PaymentDelivery } from "./delivery";
import { decimalText, hasRefundId, REFUND_EVENT } from "./delivery";

/** The sum of an invoice's refunds. */
export interface RefundSum {
  /** Decimal text, in the currency of the payment. */
  amount: string;
  /** Whether nothing of the payment is left. */
  isWhole: boolean;
  /** Whether refunds are in another currency, or add up to more than was paid: the administrator must compare. */
  isMismatch: boolean;
}

/** An amount in units of 0.0001, its smallest step: sums of whole numbers are exact. */
const unitsOf = (amount: string): number => Math.round(Number(amount) * 10_000);

/**
 * Adds up the refunds among the deliveries of one invoice, in any order and however often each is reported. A failed refund
 * is not counted, even if its failure was reported first. Null: no counted delivery states a refunded amount.
 */
export function sumRefunds(deliveries: readonly PaymentDelivery[], paid: Money): RefundSum | null {
  const failed = new Set(
    deliveries.flatMap(({ flags, refunded }) =>
      flags.includes("refund_failed") ? (refunded?.refundId ?? []) : [],
    ),
  );
  const refunds = deliveries.flatMap(({ event, refunded }) =>
    event === REFUND_EVENT && refunded !== null && !failed.has(refunded.refundId) ? [refunded] : [],
  );
  if (refunds.length === 0) return null;
  const isOther = ({ currency }: Money) =>
    currency !== null && paid.currency !== null && currency !== paid.currency;
  const counted = refunds.filter((refund) => !isOther(refund));
  const byId = new Map<string, number>();
  for (const { refundId, amount } of counted)
    byId.set(refundId, Math.max(byId.get(refundId) ?? 0, unitsOf(amount)));
  const sum = [...byId.values()].reduce((total, units) => total + units, 0);
  const isMore = sum > unitsOf(paid.amount);
  // If refunds without ids add up to more than was paid, each of them may report the sum so far.
  const isCertain =
    !isMore || counted.every(hasRefundId) || Math.max(...byId.values()) >= unitsOf(paid.amount);
  return {
    amount: decimalText(sum / 10_000) ?? paid.amount,
    isWhole: sum > 0 && sum >= unitsOf(paid.amount) && isCertain,
    isMismatch: isMore || counted.length < refunds.length,
  };
}

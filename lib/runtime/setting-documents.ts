import { z } from "zod";

/** Settings that are one document each, under their name in the table of settings, as they are stored. */

/** `end_notice`: how many days before the end of access its subscriber is told. */
export const EndNotice = z.object({ days: z.array(z.int().min(1).max(60)).min(1).max(6) });
export type EndNotice = z.output<typeof EndNotice>;

/** `downtime_credit`: when lost market time is given back. */
export const DowntimeCredit = z.object({
  enabled: z.boolean(),
  /** So many lost minutes in a month, and fewer, are borne. */
  thresholdMinutes: z.int().min(0).max(44_640),
  /** The part of a plan's slots with an open market that has to be without fresh signals. */
  share: z.number().gt(0).max(1),
  /** How long the operator may look before it is given. */
  previewHours: z.int().min(0).max(720),
});
export type DowntimeCredit = z.output<typeof DowntimeCredit>;

const EventNames = z.array(z.string().min(1).max(100)).max(100);

/** `payment_events`: what the generic platform calls events beside those of the interface, and the usual grace. */
export const PaymentEvents = z.object({
  failed: EventNames,
  chargebackWon: EventNames,
  /** Days of grace after a failed payment for what is no known product. */
  failureGraceDays: z.int().min(0).max(90),
});
export type PaymentEvents = z.output<typeof PaymentEvents>;

/** `unmapped_product`: what a product outside the table buys. */
export const UnmappedProduct = z.object({
  days: z.int().min(1).max(3660),
  graceDays: z.int().min(0).max(366),
});
export type UnmappedProduct = z.output<typeof UnmappedProduct>;

/** `payment_tests`: whether test events of the payment platforms give access. */
export const PAYMENT_TESTS = "payment_tests";
export const PaymentTests = z.object({ giveAccess: z.boolean() });
export type PaymentTests = z.output<typeof PaymentTests>;

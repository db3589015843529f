import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import type { InboxAction, InboxFlag, InboxReason } from "@/lib/payments/outcome";
import { PAYMENT_ADAPTERS, type PaymentAdapterName } from "@/lib/vocabulary";

// What is stored is text: a word of a former release may be missing here.
type Words<K extends string, W> = Record<K, W> & Record<string, W>;

/** Flags of deliveries in words: what is odd, and what to check. */
export const FLAG_WORDS: Words<InboxFlag, { short: string; long: string }> = {
  unmapped_product: {
    short: "unmapped product",
    long: "The product is not in the table; its plan was read from its name. Check that the plan is right.",
  },
  unknown_plan: {
    short: "unknown plan",
    long: "Neither the product nor its name tells a plan: basic was given. Check what was bought.",
  },
  another_paid_invoice: {
    short: "another paid invoice",
    long: "Access was switched off although the buyer has another paid invoice. Give access back with one button, or leave it so.",
  },
  missing_invoice_id: {
    short: "no invoice id",
    long: "The delivery named no invoice; it is known by its bytes alone.",
  },
  unusable_buyer_email: {
    short: "unusable address",
    long: "The buyer's address is not usable, so no access was given.",
  },
  unusable_paid_at: {
    short: "unusable time of payment",
    long: "The time of payment could not be read; the time of receipt was taken.",
  },
  expired_on_arrival: {
    short: "expired on arrival",
    long: "The period paid for was over when the delivery came.",
  },
  partial_refund: {
    short: "refunded in part",
    long: "A part of the payment was given back. Nothing was taken away: decide whether access should change.",
  },
  chargeback_won: {
    short: "chargeback won",
    long: "A chargeback was decided in your favour, but the key could not be switched on again: the buyer has another one, or something else took access away since. Decide whether access is given back.",
  },
  part_of_a_period: {
    short: "within a period",
    long: "A charge within a period, such as for a change of plan: it bought no period here. Check that the subscriber has what was paid for.",
  },
  unknown_invoice: {
    short: "unknown payment",
    long: "Money went back for a payment that is not known here. Find out whose it was and whether access should end.",
  },
  missing_buyer: {
    short: "no address",
    long: "The payment has no e-mail address, so no access was given. Look up the buyer on the platform and issue a key.",
  },
  unknown_customer: {
    short: "unknown customer",
    long: "The payment came before the address of its customer. The platform was asked to send it again; the flag goes once it has.",
  },
  several_items: {
    short: "several items",
    long: "More than one item, or a quantity above one, was bought. Access was given for the first item once: give the rest by hand.",
  },
  free_order: {
    short: "order of nothing",
    long: "An order with neither an amount nor a discount. If it starts a trial, the subscription's own event says so and clears this flag. If no such event arrives, decide what to do.",
  },
  trial_without_end: {
    short: "trial without an end",
    long: "The platform does not say when this trial ends, and the product has no trial length. No access was given. Set the product's trial days and apply this delivery again, or issue a key.",
  },
  another_trial: {
    short: "another trial",
    long: "This buyer had a trial before. The platform granted another one, so access was given: limit trials at the platform if you do not want that.",
  },
  inquiry: {
    short: "inquiry",
    long: "The buyer's bank asks about this payment. No money moved and access stays. Answer at the platform.",
  },
  refund_failed: {
    short: "refund failed",
    long: "A refund did not reach the buyer, so the money is yours. Access may have been switched off for it: pay in another way, or give access back.",
  },
  not_understood: {
    short: "not understood",
    long: "An event that is not handled here names a buyer or an amount. Nothing was done: check whether access should change.",
  },
  paid_for_another: {
    short: "paid for another",
    long: "The buyer came by the renewal link of one subscriber, but the payment was applied to another: it had arrived first. Move the time by hand.",
  },
  test_event: {
    short: "test",
    long: "A test event of the platform: no money moved.",
  },
  unreadable: {
    short: "unreadable",
    long: "The signature holds, but the body is no JSON object: nothing was done. Read the payload and ask the platform to send the delivery again.",
  },
};

/** Payment platforms by their own names. */
export const PLATFORM_WORDS = Object.fromEntries(
  PAYMENT_ADAPTERS.map((name) => [name, adapterOf(name).title]),
) as Record<PaymentAdapterName, string>;

/** What a delivery did. */
export const ACTION_WORDS: Words<InboxAction, string> = {
  api_key_created: "Key created",
  already_provisioned: "Renewed or known",
  access_revoked: "Access revoked",
  ignored: "Ignored",
  rejected: "Rejected",
};

/** Why it did nothing. */
export const REASON_WORDS: Words<InboxReason, string> = {
  unknown_event: "an event that changes nothing here",
  status_not_paid: "not paid yet",
  missing_buyer_email: "no usable address of the buyer",
  invoice_ended: "the invoice has ended before",
  invoice_already_applied: "this invoice was applied before",
  invalid_payload: "the body cannot be read",
  conflict: "its customer is not known yet",
};

import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import type { InboxAction, InboxFlag, InboxReason } from "@/lib/payments/outcome";
import { PAYMENT_ADAPTERS, type PaymentAdapterName } from "@/lib/vocabulary";

// The database stores text, so a kind of an earlier release may have no label here.
type Words<K extends string, W> = Record<K, W> & Record<string, W>;

/** Labels of the flags of a delivery. `long` says what happened, what to decide, and where to act. */
export const FLAG_LABELS: Words<InboxFlag, { short: string; long: string }> = {
  unmapped_product: {
    short: "unmapped product",
    long: "The product is not in the table, so its plan was read from its name. Add the product under Settings, Products, and choose “Apply again”: the payment gets the product's plan and days. If this flag stays, the time was changed or ended before: check the plan on the subscriber's page.",
  },
  unknown_plan: {
    short: "unknown plan",
    long: "Neither the product nor its name says which plan was bought, so basic was given.",
  },
  another_paid_invoice: {
    short: "another paid invoice",
    long: "A refund, cancellation or chargeback revoked all keys of the buyer, who has paid another invoice. Decide whether that one should still give access: if so, choose “Restore access”.",
  },
  missing_invoice_id: {
    short: "no invoice id",
    long: "The delivery names no invoice, so it is recognised by its bytes alone. Check on the subscriber's page that the payment was not counted twice.",
  },
  unusable_buyer_email: {
    short: "unusable address",
    long: "The buyer's address is not usable, so no access was given.",
  },
  unusable_paid_at: {
    short: "unusable time of payment",
    long: "The time of payment could not be read; the time of receipt was used.",
  },
  unusable_amount: {
    short: "unusable amount",
    long: "The delivery names an amount or a quantity that no purchase has, such as one below zero. Access was given, because the platform says that it was paid. Compare with the platform, and revoke the key if nothing was paid.",
  },
  other_buyer: {
    short: "another buyer",
    long: "A refund, cancellation or chargeback names another buyer than the one who paid the invoice. It ended the invoice and the keys of the buyer whom it names. Decide whether the payer should have access: compare with the platform, and change it on the subscriber's page.",
  },
  expired_on_arrival: {
    short: "expired on arrival",
    long: "The paid days had ended before the delivery arrived. Decide whether to give them to the buyer now: if so, extend the key on the subscriber's page.",
  },
  partial_refund: {
    short: "refunded in part",
    long: "Part of the payment was refunded. Access is unchanged: decide whether it should end earlier or become another plan, and change that on the subscriber's page.",
  },
  refund_mismatch: {
    short: "refund does not match",
    long: "The refunded amount cannot be compared with the payment: it is not a usable amount, is in another currency, or the refunds together exceed what was paid. Compare with the platform, and revoke the key if the whole payment was refunded.",
  },
  changed_payment: {
    short: "payment changed",
    long: "The platform sent this payment again with another product, amount, currency or buyer. The first delivery counts, and this one changed nothing. Compare both with the platform, and change the plan or the end on the subscriber's page if the first one was wrong.",
  },
  chargeback_won: {
    short: "chargeback won",
    long: "You won a chargeback, but its access was not restored: the buyer has another key, another event ended access since, or the payment arrived only after the chargeback. Decide whether to give access back; in the last case, open the payment's delivery and choose “Apply again”.",
  },
  part_of_a_period: {
    short: "within a period",
    long: "A charge within a paid period, or the refund of one, such as for a change of plan or for another seat. It changed nothing here. Compare the plan and the end on the subscriber's page with the platform, and change them there if they differ.",
  },
  connected_account: {
    short: "connected account",
    long: "A payment to one of your connected accounts, for a product that is not in the table, so no access was given. If it is for access, add the product under Settings, Products, as the account's id, a slash and the price's id, and apply this delivery again.",
  },
  unknown_invoice: {
    short: "unknown payment",
    long: "A payment that this service does not know was refunded. If it was for access, revoke the key or set an earlier end on the subscriber's page; otherwise leave access as it is.",
  },
  missing_buyer: {
    short: "no address",
    long: "The payment has no e-mail address, so no access was given. Look up the buyer on the platform and issue a key.",
  },
  unknown_customer: {
    short: "unknown customer",
    long: "The payment arrived before the address of its customer. The platform was asked to send it again, which clears this flag. If it does not, look up the buyer on the platform and issue a key.",
  },
  several_items: {
    short: "several items",
    long: "More than one item, or a quantity above one, was bought. Access was given once, for the first item. Decide what the rest is for, and extend the key or issue another one.",
  },
  free_order: {
    short: "order without an amount",
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
    long: "The buyer's bank asks about this payment. No money has moved and access is unchanged. Answer at the platform.",
  },
  refund_failed: {
    short: "refund failed",
    long: "A refund did not reach the buyer, so you still have the money. The keys may have been revoked for it: refund in another way, or issue a new key on the subscriber's page.",
  },
  not_understood: {
    short: "not understood",
    long: "This service does not handle the event, which names a buyer or an amount. Nothing changed: show the payload and decide whether access should.",
  },
  paid_for_another: {
    short: "paid for another",
    long: "The buyer used the renewal link of one subscriber, but the payment was applied to another, because it arrived first. Extend the first subscriber's key and shorten the other one.",
  },
  test_event: {
    short: "test",
    long: "A test event of the platform: no money moved.",
  },
  unreadable: {
    short: "unreadable",
    long: "The signature is valid, but the body cannot be read, so nothing was done. Show the payload, and have the platform send the delivery again.",
  },
};

/** Display names of payment platforms. */
export const PLATFORM_LABELS = Object.fromEntries(
  PAYMENT_ADAPTERS.map((name) => [name, adapterOf(name).title]),
) as Record<PaymentAdapterName, string>;

/** Labels of the effect that a delivery had. */
export const DELIVERY_EFFECT_LABELS: Words<InboxAction | "no_key_revoked" | "refunded_in_part", string> = {
  api_key_created: "Key created",
  already_provisioned: "Renewed or known",
  access_revoked: "Access revoked",
  no_key_revoked: "No key revoked",
  refunded_in_part: "Refunded in part",
  plan_changed: "Plan changed",
  key_reinstated: "Key works again",
  grace_given: "Days of grace given",
  payment_failed: "Failed payment recorded",
  ignored: "Ignored",
  rejected: "Rejected",
};

/** Label of a delivery's effect. */
export const deliveryEffectLabel = ({ effect }: { effect: string }): string =>
  DELIVERY_EFFECT_LABELS[effect] ?? effect;

/** The effect of a delivery, with the plans that it changed, or the reason if it had none. */
export const deliveryOutcomeLabel = ({ effect, reason }: { effect: string; reason: string | null }): string =>
  `${deliveryEffectLabel({ effect })}${reason === null ? "" : `: ${REASON_LABELS[reason] ?? reason}`}`;

/** Explanations of why a delivery had no effect. */
export const REASON_LABELS: Words<InboxReason, string> = {
  unknown_event: "an event that changes nothing here",
  status_not_paid: "not paid yet",
  missing_buyer_email: "no usable address of the buyer",
  invoice_ended: "the invoice has already ended",
  invoice_already_applied: "this invoice was already applied",
  invalid_payload: "the body cannot be read",
  conflict: "its customer is not known yet",
};

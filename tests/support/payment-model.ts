/** The specified payment rules, written independently of the service. Tests compare the service with this model. */

export type Plan = "telegram" | "basic" | "pro";

/** Time of a plan, paid or added by an administrator. */
interface Time {
  plan: Plan;
  startMs: number;
  ms: number;
  graceMs: number;
}

export interface ModelKey {
  buyer: number;
  plan: Plan;
  expiresMs: number;
  times: Time[];
  /** The key's end was set without a payment, so the grace of later payments does not apply. */
  isSetByHand: boolean;
  /** Access after failed payments, when no paid day is left. */
  graces: { fromMs: number; untilMs: number }[];
  revoked: boolean;
  suspended: boolean;
  /** The invoice whose chargeback revoked this key; null when a won dispute would not reactivate the key. */
  chargedBack: number | null;
}

interface ModelInvoice {
  state: "paid" | "ended";
  endedBy: PaymentStep["event"] | null;
  buyer: number | null;
  /** Number of the event that paid the invoice; null while it is unpaid. */
  paidAs: number | null;
  /**
   * The invoice ended before its payment, by an event that identified no buyer: its payment will end its buyer's
   * access.
   */
  waits: boolean;
  /** The invoice was refunded after another event had ended it, so a won chargeback restores nothing. */
  isRefunded: boolean;
}

/** A buyer's grace after a failed payment. Further failures before the next payment belong to the same grace. */
interface ModelGrace {
  buyer: number;
  begunAs: number;
  failures: number;
}

const MAILS = [
  "key-created",
  "access-revoked",
  "renewed",
  "payment-failed",
  "access-suspended",
  "access-reinstated",
] as const;

/** Keys in order of creation; a key's number is its index. */
export interface PaymentModel {
  keys: ModelKey[];
  invoices: Map<number, ModelInvoice>;
  graces: ModelGrace[];
  /** Invoices with a won dispute, on platforms that identify disputes. A later chargeback of such an invoice ends nothing. */
  wonAhead: Set<number>;
  /** Processed deliveries, by their bytes. */
  seen: Set<string>;
  mails: Record<(typeof MAILS)[number], number>;
  /** Number of events so far. */
  happened: number;
}

export interface PaymentStep {
  event: "paid" | "canceled" | "refunded" | "chargeback" | "refunded in part" | "failed" | "won";
  invoice: number;
  /** null: the delivery names no buyer. */
  buyer: number | null;
  product: { id: string; plan: Plan; days: number; graceDays: number };
  paidAtMs: number;
  /** Text that stands for the bytes of the delivery: equal for equal bytes only. */
  bytes: string;
  /** Whether a second refund or chargeback of an invoice counts as a repetition. On the generic platform only equal bytes do. */
  byInvoice: boolean;
  /**
   * Whether the platform names the subscription in refunds. Then one applied payment of the subscription is enough to know
   * the owner of an unknown invoice.
   */
  namesSubscription: boolean;
  /** Whether the platform names the won dispute. In this model an invoice has at most one. */
  namesDispute: boolean;
}

export type ExpectedAnswer =
  | { action: "api_key_created"; key: number; plan: Plan; expiresMs: number }
  | { action: "already_provisioned"; key: number; plan: Plan }
  | { action: "access_revoked"; revoked: number }
  | { action: "ignored"; reason: string };

const RANK: Record<Plan, number> = { telegram: 0, basic: 1, pro: 2 };
const DAY_MS = 86_400_000;
const MAX_FAILURE_MAILS = 3;

export function emptyModel(): PaymentModel {
  return {
    keys: [],
    invoices: new Map(),
    graces: [],
    wonAhead: new Set(),
    seen: new Set(),
    mails: Object.fromEntries(MAILS.map((kind) => [kind, 0])) as PaymentModel["mails"],
    happened: 0,
  };
}

export function copyModel(model: PaymentModel): PaymentModel {
  return {
    keys: model.keys.map((key) => ({
      ...key,
      times: [...key.times],
      graces: key.graces.map((grace) => ({ ...grace })),
    })),
    invoices: new Map([...model.invoices].map(([id, invoice]) => [id, { ...invoice }])),
    graces: model.graces.map((grace) => ({ ...grace })),
    wonAhead: new Set(model.wonAhead),
    seen: new Set(model.seen),
    mails: { ...model.mails },
    happened: model.happened + 1,
  };
}

/** Applies the step to a copy of the model. Returns the copy and the answer to the sender. */
export function applyPaymentStep(
  model: PaymentModel,
  step: PaymentStep,
  nowMs: number,
): { model: PaymentModel; reaction: ExpectedAnswer } {
  const next = copyModel(model);
  next.seen.add(step.bytes);
  const known = model.seen.has(step.bytes);
  switch (step.event) {
    case "paid":
      return { model: next, reaction: pay(next, step, nowMs) };
    case "failed":
      fail(next, step, nowMs, known);
      return { model: next, reaction: { action: "ignored", reason: "unknown_event" } };
    case "refunded in part":
      return { model: next, reaction: { action: "access_revoked", revoked: 0 } };
    case "won":
      if (!known) win(next, step, nowMs);
      return { model: next, reaction: { action: "ignored", reason: "unknown_event" } };
    default:
      return { model: next, reaction: end(next, step, known) };
  }
}

const newestKey = (model: PaymentModel, buyer: number) =>
  model.keys.findLastIndex((key) => key.buyer === buyer && !key.revoked);

function pay(model: PaymentModel, step: PaymentStep, nowMs: number): ExpectedAnswer {
  const { buyer } = step;
  if (buyer === null) return { action: "ignored", reason: "missing_buyer_email" };
  const invoice = model.invoices.get(step.invoice);
  if (invoice?.state === "ended") {
    if (invoice.waits) {
      Object.assign(invoice, {
        waits: false,
        buyer: model.keys.some((key) => key.buyer === buyer) ? buyer : null,
      });
      revoke(model, buyer, invoice.endedBy === "chargeback" ? step.invoice : null);
    }
    return { action: "ignored", reason: "invoice_ended" };
  }
  const newest = newestKey(model, buyer);
  const held = model.keys[newest];
  if (invoice && !held) return { action: "ignored", reason: "invoice_already_applied" };
  if (invoice && held) return { action: "already_provisioned", key: newest, plan: held.plan };

  model.invoices.set(step.invoice, {
    state: "paid",
    endedBy: null,
    buyer,
    paidAs: model.happened,
    waits: false,
    isRefunded: false,
  });
  const bought: Time = {
    plan: step.product.plan,
    startMs: step.paidAtMs,
    ms: step.product.days * DAY_MS,
    graceMs: step.product.graceDays * DAY_MS,
  };
  if (held) {
    held.times.push(held.isSetByHand ? { ...bought, graceMs: 0 } : bought);
    const { endMs, plan, leftMs } = useUp(held.times, held.graces, nowMs);
    // An end in the past is not moved further into the past.
    held.expiresMs = endMs > nowMs ? endMs : Math.max(endMs, Math.min(held.expiresMs, nowMs));
    held.plan = plan;
    // Days that were over on arrival are mailed only if the buyer has no access.
    if (held.expiresMs <= nowMs || leftMs > 0) model.mails.renewed++;
    return { action: "already_provisioned", key: newest, plan };
  }
  const expiresMs = bought.startMs + bought.ms + bought.graceMs;
  model.keys.push({
    buyer,
    plan: step.product.plan,
    expiresMs,
    times: [bought],
    isSetByHand: false,
    graces: [],
    revoked: false,
    suspended: false,
    chargedBack: null,
  });
  model.mails["key-created"]++;
  return { action: "api_key_created", key: model.keys.length - 1, plan: step.product.plan, expiresMs };
}

/**
 * The days of the three plans, used one after the other: always the highest plan with days left, oldest payment
 * first. A payment within the grace counts from the end of the days. The longest grace of the payments applies once,
 * when no day is left; a failed-payment grace runs to its own end. `leftMs` is what is left at `nowMs` of the latest
 * entry.
 */
function useUp(
  times: readonly Time[],
  graces: ModelKey["graces"],
  nowMs: number,
): { endMs: number; plan: Plan; leftMs: number } {
  const open = times.map((time, entered) => ({ ...time, entered, leftMs: time.ms }));
  open.sort((a, b) => a.startMs - b.startMs || a.ms - b.ms);
  const newest = times.length - 1;
  let at = open[0]!.startMs;
  let end = at;
  let graceMs = 0;
  let isGraceOpen = true;
  let plan = open[0]!.plan;
  let usedOfNewest = 0;
  const graceEnd = () => {
    let until = isGraceOpen ? at + graceMs : at;
    for (const { fromMs, untilMs } of graces.toSorted((a, b) => a.fromMs - b.fromMs))
      if (fromMs <= until) until = Math.max(until, untilMs);
    return until;
  };
  for (;;) {
    const begun = open.filter(({ startMs, leftMs }) => startMs <= at && leftMs > 0);
    for (const time of begun) graceMs = Math.max(graceMs, time.graceMs);
    const nextMs = Math.min(...open.filter(({ startMs }) => startMs > at).map(({ startMs }) => startMs));
    const [used] = begun.toSorted((a, b) => RANK[b.plan] - RANK[a.plan]);
    if (used) {
      const until = Math.min(at + used.leftMs, nextMs);
      if (at <= nowMs || end <= nowMs) plan = used.plan;
      if (used.entered === newest) usedOfNewest += Math.max(0, Math.min(until, nowMs) - at);
      used.leftMs -= until - at;
      at = until;
      end = until;
    } else if (nextMs <= graceEnd()) {
      for (const time of open) if (time.startMs === nextMs) time.startMs = at;
    } else {
      end = graceEnd();
      isGraceOpen = false;
      if (nextMs === Number.POSITIVE_INFINITY) break;
      at = nextMs;
    }
  }
  return { endMs: end, plan, leftMs: times[newest]!.ms - usedOfNewest };
}

function end(model: PaymentModel, step: PaymentStep, known: boolean): ExpectedAnswer {
  if (known) return { action: "access_revoked", revoked: 0 };
  const invoice = model.invoices.get(step.invoice);
  const chargedBack = step.event === "chargeback" ? step.invoice : null;
  if (chargedBack !== null && step.namesDispute && model.wonAhead.has(chargedBack))
    return { action: "access_revoked", revoked: 0 };
  if (step.byInvoice && invoice?.state === "ended") {
    invoice.isRefunded ||= step.event === "refunded";
    if (chargedBack === null)
      for (const key of model.keys) if (key.chargedBack === step.invoice) key.chargedBack = null;
    return { action: "access_revoked", revoked: 0 };
  }
  const isOwned =
    step.namesSubscription &&
    [...model.invoices.values()].some((other) => other.buyer === step.buyer && other.paidAs !== null);
  // An address alone does not identify the payment.
  const isUnknown = step.byInvoice && !invoice && !isOwned;
  const buyer = isUnknown ? null : (step.buyer ?? invoice?.buyer ?? null);
  const isCustomer = buyer !== null && model.keys.some((key) => key.buyer === buyer);
  if (!invoice)
    model.invoices.set(step.invoice, {
      state: "ended",
      endedBy: step.event,
      buyer: isCustomer ? buyer : null,
      paidAs: null,
      waits: buyer === null,
      isRefunded: false,
    });
  else if (invoice.state === "paid") Object.assign(invoice, { state: "ended", endedBy: step.event });
  return { action: "access_revoked", revoked: revoke(model, buyer, chargedBack) };
}

/**
 * Revokes every key of a buyer. Winning the dispute about the invoice `chargedBack` reactivates them; null: nothing
 * does. Returns the number of revoked keys.
 */
function revoke(model: PaymentModel, buyer: number | null, chargedBack: number | null): number {
  // A later end cancels the reactivation that winning an earlier chargeback would bring.
  for (const key of model.keys)
    if (key.buyer === buyer && key.chargedBack !== chargedBack) key.chargedBack = null;
  const active = model.keys.filter((key) => key.buyer === buyer && !key.revoked);
  for (const key of active) Object.assign(key, { revoked: true, chargedBack });
  if (active.length > 0) model.mails["access-revoked"]++;
  return active.length;
}

/** Winning a dispute reactivates the keys that its chargeback revoked, unless their owner has another active key. */
function win(model: PaymentModel, step: PaymentStep, nowMs: number): void {
  const invoice = model.invoices.get(step.invoice);
  const given = model.keys.filter((key) => key.chargedBack === step.invoice);
  // The invoice never gave access, so winning its dispute lets its payment give access.
  const isOpenAgain =
    step.byInvoice && invoice?.endedBy === "chargeback" && invoice.paidAs === null && !invoice.isRefunded;
  if (isOpenAgain) model.invoices.delete(step.invoice);
  if (step.namesDispute) model.wonAhead.add(step.invoice);
  if (given.length === 0 || given.some((key) => newestKey(model, key.buyer) >= 0)) return;
  for (const key of given) Object.assign(key, { revoked: false, chargedBack: null });
  if (invoice?.endedBy === "chargeback" && invoice.paidAs !== null)
    Object.assign(invoice, { state: "paid", endedBy: null });
  if (given.some((key) => !key.suspended && key.expiresMs > nowMs)) model.mails["access-reinstated"]++;
}

/**
 * A failed payment moves the end of an active key to `graceDays` from now, if that is later. Further failures before
 * the next payment extend nothing. The buyer gets at most three mails about one grace.
 */
function fail(model: PaymentModel, step: PaymentStep, nowMs: number, known: boolean): void {
  const { buyer } = step;
  if (known || buyer === null || model.invoices.has(step.invoice)) return;
  const key = model.keys[newestKey(model, buyer)];
  if (!key || key.expiresMs <= nowMs || key.suspended) return;
  const paid = [...model.invoices.values()].filter(
    (invoice) => invoice.buyer === buyer && invoice.state === "paid",
  );
  const lastPaid = Math.max(-1, ...paid.map(({ paidAs }) => paidAs ?? -1));
  let grace = model.graces.findLast((each) => each.buyer === buyer && each.begunAs > lastPaid);
  if (!grace) {
    grace = { buyer, begunAs: model.happened, failures: 0 };
    model.graces.push(grace);
    const untilMs = nowMs + step.product.graceDays * DAY_MS;
    if (untilMs > key.expiresMs) {
      key.expiresMs = untilMs;
      key.graces.push({ fromMs: nowMs, untilMs });
    }
  }
  grace.failures++;
  if (grace.failures <= MAX_FAILURE_MAILS) model.mails["payment-failed"]++;
}

/**
 * The rules of payments as a person would tell them, written without regard for how the service works: a few maps
 * and one function. The service is held against it.
 */
export type Plan = "telegram" | "basic" | "pro";

export interface ModelKey {
  buyer: number;
  plan: Plan;
  expiresMs: number;
  revoked: boolean;
}

interface ModelInvoice {
  state: "paid" | "ended";
  buyer: number | null;
}

/** Keys stand in the order in which they were made; a key's number is its place. */
export interface Model {
  keys: ModelKey[];
  invoices: Map<number, ModelInvoice>;
  /** Deliveries taken in, by their bytes. */
  seen: Set<string>;
  mails: Record<"key-created" | "access-revoked" | "renewed", number>;
}

export interface Step {
  event: "paid" | "canceled" | "refunded" | "chargeback";
  invoice: number;
  /** null: the delivery names no buyer. */
  buyer: number | null;
  product: { id: string; plan: Plan; days: number; graceDays: number };
  paidAtMs: number;
  /** Equal bytes, equal text. */
  bytes: string;
}

export type Reaction =
  | { action: "api_key_created"; key: number; plan: Plan; expiresMs: number }
  | { action: "already_provisioned"; key: number; plan: Plan }
  | { action: "access_revoked"; revoked: number }
  | { action: "ignored"; reason: string };

const RANK: Record<Plan, number> = { telegram: 0, basic: 1, pro: 2 };
const DAY_MS = 86_400_000;

export function emptyModel(): Model {
  return {
    keys: [],
    invoices: new Map(),
    seen: new Set(),
    mails: { "key-created": 0, "access-revoked": 0, renewed: 0 },
  };
}

/** Applies the step to a copy of the model. Returns the copy and the answer that the sender gets. */
export function react(model: Model, step: Step, nowMs: number): { model: Model; reaction: Reaction } {
  const next: Model = {
    keys: model.keys.map((key) => ({ ...key })),
    invoices: new Map([...model.invoices].map(([id, invoice]) => [id, { ...invoice }])),
    seen: new Set(model.seen).add(step.bytes),
    mails: { ...model.mails },
  };
  const known = model.seen.has(step.bytes);
  const reaction = step.event === "paid" ? pay(next, step, nowMs) : end(next, step, known);
  return { model: next, reaction };
}

function pay(model: Model, step: Step, nowMs: number): Reaction {
  const { buyer } = step;
  if (buyer === null) return { action: "ignored", reason: "missing_buyer_email" };
  const invoice = model.invoices.get(step.invoice);
  if (invoice?.state === "ended") return { action: "ignored", reason: "invoice_ended" };
  const newest = model.keys.findLastIndex((key) => key.buyer === buyer && !key.revoked);
  const held = model.keys[newest];
  if (invoice && !held) return { action: "ignored", reason: "invoice_already_applied" };
  if (invoice && held) return { action: "already_provisioned", key: newest, plan: held.plan };

  model.invoices.set(step.invoice, { state: "paid", buyer });
  if (held) {
    const periodMs = step.product.days * DAY_MS;
    if (held.expiresMs > nowMs) held.expiresMs += periodMs;
    // An expired key works again from the payment on. It never ends earlier than it did.
    else held.expiresMs = Math.max(held.expiresMs, step.paidAtMs + periodMs);
    if (held.expiresMs > nowMs) model.mails.renewed++;
    if (RANK[step.product.plan] > RANK[held.plan]) held.plan = step.product.plan;
    return { action: "already_provisioned", key: newest, plan: held.plan };
  }
  const expiresMs = step.paidAtMs + (step.product.days + step.product.graceDays) * DAY_MS;
  model.keys.push({ buyer, plan: step.product.plan, expiresMs, revoked: false });
  model.mails["key-created"]++;
  return { action: "api_key_created", key: model.keys.length - 1, plan: step.product.plan, expiresMs };
}

function end(model: Model, step: Step, known: boolean): Reaction {
  if (known) return { action: "access_revoked", revoked: 0 };
  const invoice = model.invoices.get(step.invoice);
  const buyer = step.buyer ?? invoice?.buyer ?? null;
  const isCustomer = buyer !== null && model.keys.some((key) => key.buyer === buyer);
  if (invoice) invoice.state = "ended";
  else model.invoices.set(step.invoice, { state: "ended", buyer: isCustomer ? buyer : null });
  const active = model.keys.filter((key) => key.buyer === buyer && !key.revoked);
  for (const key of active) key.revoked = true;
  if (active.length > 0) model.mails["access-revoked"]++;
  return { action: "access_revoked", revoked: active.length };
}

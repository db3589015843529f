import { randomUUID } from "node:crypto";
import { signBody } from "@/lib/payments/signature";
import { call, type TestApiAnswer } from "./api";

export const WEBHOOK_SECRET = "test-webhook-secret-0123456789";

export interface EventOptions {
  event?: unknown;
  id?: unknown;
  status?: unknown;
  items?: unknown;
  productId?: unknown;
  itemName?: string;
  name?: unknown;
  email?: unknown;
  paid_at?: unknown;
}

/** The body of a delivery to /webhooks/payment, by default of a paid invoice; `undefined` omits a field. */
export function paymentEvent(wish: EventOptions = {}) {
  const given = (name: keyof EventOptions, value: unknown) => (name in wish ? wish[name] : value);
  return {
    event: given("event", "payment.invoice_paid"),
    data: {
      id: given("id", `inv-${randomUUID()}`),
      status: given("status", "paid"),
      items: given("items", [
        {
          productId: given("productId", "3031367"),
          name: wish.itemName ?? "Signals",
          quantity: 1,
          amount: 49.9,
        },
      ]),
      buyer: { name: given("name", "Ada Lovelace"), email: given("email", freshEmail()) },
      paid_at: given("paid_at", new Date().toISOString()),
    },
  };
}

export function freshEmail(): string {
  return `buyer-${randomUUID().slice(0, 8)}@example.com`;
}

/** Posts a body to /webhooks/payment with its correct signature, or with `signature` (null: without one). */
export async function deliver(
  body: unknown,
  options: { signature?: string | null; path?: string; headers?: Record<string, string> } = {},
): Promise<TestApiAnswer> {
  const bytes = toBytes(body);
  const signature = options.signature === undefined ? signBody(bytes, WEBHOOK_SECRET) : options.signature;
  return call("POST", options.path ?? "/webhooks/payment", {
    body: bytes,
    headers: {
      "Content-Type": "application/json",
      ...(signature === null ? {} : { "x-signature": signature }),
      ...options.headers,
    },
  });
}

/** Repeats a delivery while the answer is 503, as a platform does: on a slow machine a payment may exceed its deadline. */
export async function deliverUntilAccepted(body: unknown): Promise<TestApiAnswer> {
  for (;;) {
    const answer = await deliver(body);
    if (answer.status !== 503) return answer;
  }
}

export function toBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

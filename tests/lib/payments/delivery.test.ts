import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseGenericDelivery } from "@/lib/payments/delivery";

const now = new Date("2026-11-21T08:00:00Z");
const parse = (value: unknown) => parseGenericDelivery(Buffer.from(JSON.stringify(value)), now);

describe("parseGenericDelivery", () => {
  it("parseGenericDelivery reads the payload of a generic paid invoice", () => {
    expect(
      parse({
        event: "payment.invoice_paid",
        data: {
          id: "inv-1",
          status: "paid",
          items: [{ productId: "3031367", name: "Pro", quantity: 1, amount: 49.9 }],
          buyer: { name: " Ada ", email: " Ada@Example.com " },
          paid_at: "2026-11-21T07:59:00Z",
        },
      }),
    ).toEqual({
      adapter: "generic",
      platformEvent: "payment.invoice_paid",
      event: "payment.invoice_paid",
      means: null,
      names: [],
      externalSubscriptionId: null,
      externalCustomerId: null,
      invoiceId: "inv-1",
      status: "paid",
      firstItem: { productIds: ["3031367"], name: "Pro" },
      buyer: { email: "Ada@Example.com", emailNormalized: "ada@example.com" },
      buyerName: "Ada",
      paidAt: new Date("2026-11-21T07:59:00Z"),
      total: { amount: "49.9", currency: null },
      refunded: null,
      period: null,
      isTrial: false,
      mayBeTrial: false,
      startsAnew: false,
      isTest: false,
      subscriberRef: null,
      flags: [],
    });
  });

  it("an event name truncated within a character can be stored and answered", () => {
    const { event } = parse({ event: `${"a".repeat(99)}\u{1f600}` });
    expect(event).toHaveLength(100);
    expect(event?.isWellFormed()).toBe(true);
    expect(parse({ event: "\ud800" }).event).toBe("\ufffd");
  });

  it("a generic invoice id such as stripe:in_1 gets the prefix generic:, so it is no invoice of that platform", () => {
    expect(parse({ data: { id: "stripe:in_1" } }).invoiceId).toBe("generic:stripe:in_1");
    expect(parse({ data: { id: "stripes" } }).invoiceId).toBe("stripes");
  });

  it("a quantity that is an object with a member toString is flagged as unusable", () => {
    const items = [{ productId: "1", amount: 9, quantity: { toString: 1 } }];
    const { total, flags } = parse({ event: "payment.invoice_paid", data: { id: "1", items } });
    expect({ total, flags }).toEqual({ total: { amount: "9", currency: null }, flags: ["unusable_amount"] });
  });

  it("an item's quantity sent as text multiplies its amount", () => {
    const items = [{ productId: "1", amount: 9, quantity: "2" }];
    const { total, flags } = parse({ event: "payment.invoice_paid", data: { id: "1", items } });
    expect([total?.amount, flags]).toEqual(["18", ["several_items"]]);
  });

  it("amounts of different currencies have no total", () => {
    const items = [
      { amount: 9, currency: "usd" },
      { amount: 900, currency: "jpy" },
    ];
    expect(parse({ data: { items } }).total).toBeNull();
    expect(parse({ data: { items, currency: "usd" } }).total).toEqual({ amount: "909", currency: "USD" });
  });

  it("a refunded amount may be written below zero, and an unreadable one is flagged", () => {
    const refund = (amount_refunded: unknown) =>
      parse({ event: "payment.invoice_refunded", data: { id: "1", amount_refunded } });
    expect(refund(-40).refunded?.amount).toBe("40");
    expect(refund("-40.50").refunded?.amount).toBe("40.5");
    expect([refund("40,00").refunded, refund("40,00").flags]).toEqual([null, ["refund_mismatch"]]);
    expect([refund(null).flags, refund("").flags, refund(0).flags]).toEqual([[], [], []]);
  });

  it("a numeric or very long invoice id is the same invoice every time", () => {
    expect(parse({ data: { id: 42 } }).invoiceId).toBe("42");
    const long = { data: { id: "x".repeat(10_000) } };
    expect(parse(long).invoiceId).toBe(parse({ ...long, other: 1 }).invoiceId);
    expect(parse(long).invoiceId.length).toBeLessThan(100);
  });

  it.each([
    ["one item", { items: [{ amount: 49.9, quantity: 1 }] }, { amount: "49.9", currency: null }],
    [
      "each amount times its quantity",
      { items: [{ amount: 0.1, quantity: 3 }, { amount: "2.5" }] },
      { amount: "2.8", currency: null },
    ],
    ["a currency", { currency: "eur", items: [{ amount: 5 }] }, { amount: "5", currency: "EUR" }],
    ["a currency of the item", { items: [{ amount: 5, currency: "USD" }] }, { amount: "5", currency: "USD" }],
    [
      "no currency of more than three letters",
      { currency: "<b>", items: [{ amount: 5 }] },
      { amount: "5", currency: null },
    ],
    ["nothing where an item has no amount", { items: [{ amount: 5 }, {}] }, null],
    ["nothing of a negative amount", { items: [{ amount: -5 }] }, null],
    ["nothing of an absurd amount", { items: [{ amount: 999_999_999, quantity: 2 }] }, null],
    ["nothing without items", {}, null],
  ])("the amount paid is read: %s", (_, data, total) => {
    expect(parse({ data }).total).toEqual(total);
  });

  it("a buyer's name loses control characters and excess length", () => {
    const { buyerName } = parse({ data: { buyer: { name: `A\r\nBcc: x\u2028${"y".repeat(500)}` } } });
    expect(buyerName).toMatch(/^A Bcc: x y+$/);
    expect(buyerName.length).toBe(120);
  });

  it("any JSON object is parsed into storable values, or refused as invalid_payload", () => {
    fc.assert(
      fc.property(
        fc.record({
          event: fc.anything(),
          data: fc.oneof(
            fc.anything(),
            fc.record({
              id: fc.oneof(fc.anything(), fc.string({ unit: "binary" })),
              status: fc.anything(),
              items: fc.anything(),
              buyer: fc.record({ name: fc.string({ unit: "binary" }), email: fc.anything() }),
              paid_at: fc.oneof(fc.anything(), fc.string()),
            }),
          ),
        }),
        (value) => {
          let text: string;
          try {
            text = JSON.stringify(value);
          } catch {
            return;
          }
          let delivery: ReturnType<typeof parseGenericDelivery>;
          try {
            delivery = parseGenericDelivery(Buffer.from(text), now);
          } catch (error) {
            expect(error).toMatchObject({ code: "invalid_payload" });
            return;
          }
          for (const stored of [
            delivery.event ?? "",
            delivery.invoiceId,
            delivery.buyerName,
            delivery.buyer?.email ?? "",
          ]) {
            expect(stored.isWellFormed()).toBe(true);
            expect(stored).not.toContain("\0");
            expect(stored.length).toBeLessThanOrEqual(254);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { PaidTimeCard } from "@/app/_components/paid-time-card";
import { planOrder } from "@/app/_components/plan-order";
import { Timeline } from "@/app/admin/(area)/subscribers/[id]/_components/timeline";
import type { PaidTimeEntry } from "@/db/queries/paid-time";
import { DAY_MS } from "@/lib/time";

const NOW = new Date("2026-11-29T12:00:00Z");
const formatDay = (at: Date) => at.toISOString().slice(0, 10);
const words = (element: ReactElement) =>
  renderToStaticMarkup(element)
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

const PAYMENT: PaidTimeEntry = {
  id: 1,
  kind: "payment",
  invoiceId: "inv-1",
  planTier: "pro",
  startsAt: new Date("2026-11-19T12:00:00Z"),
  durationMs: 31 * DAY_MS,
  graceMs: 0,
  endedAt: NOW,
  keyId: 7,
  fromId: null,
  amount: null,
  currency: null,
};
const REST: PaidTimeEntry = {
  ...PAYMENT,
  id: 2,
  kind: "change",
  invoiceId: null,
  startsAt: NOW,
  durationMs: 21 * DAY_MS,
  endedAt: null,
  fromId: 1,
};

describe("the card with the paid time", () => {
  it("a payment whose rest was divided by a change of scope is listed once and has not ended", () => {
    const text = words(<PaidTimeCard entries={[REST, PAYMENT]} keyId={7} now={NOW} formatDay={formatDay} />);
    expect(text).toContain("Payment, 2026-11-19, inv-1");
    expect(text).toContain("31 days");
    expect(text).not.toMatch(/ended|Plan changed/);
  });

  it("the time left of a revoked key is marked as not in force", () => {
    const entries = [{ ...PAYMENT, endedAt: null }];
    const text = words(
      <PaidTimeCard entries={entries} keyId={7} isRevoked now={NOW} formatDay={formatDay} />,
    );
    expect(text).toContain("The key is revoked: the time that was left gives no access.");
    expect(text).toContain("Not in force: Pro");
  });
});

describe("the timeline of a subscriber", () => {
  const extension = (facts: Record<string, unknown>) =>
    words(
      <Timeline
        entries={[{ kind: "key", at: NOW, cursor: "", what: "key.extend", target: "key/7", facts }]}
        now={NOW}
      />,
    );

  it("an extension whose details were erased names no dates", () => {
    expect(extension({})).not.toContain("no end date");
    expect(extension({ from: NOW.toISOString(), to: null })).toContain("no end date");
  });
});

it("the order of plans names each plan with its end, and is left out for a single plan", () => {
  const stretches = [
    { plans: ["basic"], until: "2026-11-20T12:00:00.000Z" },
    { plans: ["pro"], until: "2026-12-31T12:00:00.000Z" },
    { plans: ["basic", "telegram"], until: "2027-02-03T12:00:00.000Z" },
  ];
  expect(planOrder(stretches, NOW, formatDay)).toBe("Pro until 2026-12-31, then Basic and Telegram");
  expect(planOrder(stretches.slice(0, 2), NOW, formatDay)).toBeNull();
  expect(planOrder(null, NOW, formatDay)).toBeNull();
});

import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readPaymentWeeks } from "@/lib/payments/read-weeks";
import { addDays, SECOND_MS, startOfUtcDay } from "@/lib/time";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const NOW = new Date();
/** 00:00 UTC of this week's Monday. */
const MONDAY = addDays(startOfUtcDay(NOW), -((NOW.getUTCDay() + 6) % 7));
const daysAfterMonday = (days: number) => addDays(MONDAY, days).toISOString();

async function subscription({
  endsAt,
  revokedAt,
}: {
  endsAt?: string;
  revokedAt?: string;
} = {}): Promise<number> {
  const [row] = await db().execute<{ id: number }>(sql`
    with made as (insert into subscriptions (user_name) values ('Buyer') returning id)
    insert into api_keys (subscription_id, key_hash, hint, plan_tier, expires_at, revoked_at)
      select id, md5(id::text), 'abcd****abcd', 'pro', ${endsAt ?? null}, ${revokedAt ?? null} from made
    returning subscription_id as id`);
  return row?.id ?? 0;
}

let lastInvoice = 0;
async function invoice(values: {
  of: number;
  effect?: "created" | "renewed" | "revived";
  paidAt?: string;
  amount?: string;
  currency?: string;
  refunded?: string;
  endedAt?: string;
  endedBy?: string;
}): Promise<void> {
  await db().execute(sql`
    insert into invoices (invoice_id, state, subscription_id, effect, paid_at, amount, currency, refunded_amount, ended_at, ended_by)
    values (${`invoice-${++lastInvoice}`}, ${values.endedAt ? "ended" : "paid"}, ${values.of}, ${values.effect ?? "created"},
            ${values.paidAt ?? MONDAY.toISOString()}, ${values.amount ?? null}, ${values.currency ?? null},
            ${values.refunded ?? null}, ${values.endedAt ?? null}, ${values.endedBy ?? null})`);
}

describe("weekly revenue", () => {
  it("weekly revenue counts sales and renewals by week, and sums each currency exactly", async () => {
    const lasting = await subscription({ endsAt: "2099-01-01T00:00:00Z" });
    await invoice({ of: lasting, amount: "49.90", currency: "eur" });
    await invoice({ of: lasting, effect: "renewed", amount: "0.10", currency: "EUR" });
    await invoice({ of: lasting, effect: "revived", amount: "19", currency: "USD", refunded: "4.5" });
    await invoice({ of: lasting, effect: "renewed" });
    // The second before Monday belongs to the previous week.
    await invoice({
      of: lasting,
      paidAt: new Date(MONDAY.getTime() - SECOND_MS).toISOString(),
      amount: "100000000.01",
      currency: "EUR",
    });

    const [present, last, before] = await readPaymentWeeks(db(), NOW, 3);

    expect(present).toEqual({
      from: MONDAY,
      nSold: 1,
      nRenewed: 3,
      nReturned: 0,
      nLost: 0,
      paid: [
        { currency: "EUR", amount: "50.0000", nKnown: 2, n: 2 },
        { currency: "USD", amount: "14.5000", nKnown: 1, n: 1 },
        { currency: null, amount: "0", nKnown: 0, n: 1 },
      ],
      returned: [],
    });
    expect(last).toMatchObject({
      from: addDays(MONDAY, -7),
      nSold: 1,
      paid: [{ currency: "EUR", amount: "100000000.0100", nKnown: 1, n: 1 }],
    });
    expect(before).toMatchObject({ nSold: 0, nRenewed: 0, nLost: 0, paid: [], returned: [] });
  });

  it("weekly revenue counts payers without an active key as lost, but not those who returned or never paid", async () => {
    const weeks = () => readPaymentWeeks(db(), NOW, 2);
    const nLost = async () => (await weeks()).map((week) => week.nLost);
    const paidAt = daysAfterMonday(-300);
    const expired = await subscription({ endsAt: MONDAY.toISOString() });
    await invoice({ of: expired, paidAt });
    const revoked = await subscription({ endsAt: "2099-01-01T00:00:00Z", revokedAt: daysAfterMonday(-4) });
    await invoice({
      of: revoked,
      paidAt,
      amount: "30",
      currency: "EUR",
      endedAt: daysAfterMonday(-4),
      endedBy: "payment.invoice_refunded",
    });
    await subscription({ endsAt: MONDAY.toISOString() });
    expect(await nLost()).toEqual([1, 1]);
    expect((await weeks())[1]?.returned).toEqual([{ currency: "EUR", amount: "30.0000", nKnown: 1, n: 1 }]);

    await db().execute(sql`
      insert into api_keys (subscription_id, key_hash, hint, plan_tier)
      values (${expired}, 'again', 'abcd****abcd', 'pro')`);
    expect(await nLost()).toEqual([0, 1]);
  });

  it("weekly revenue lists the last 26 weeks from their Mondays, also on a Monday and a Sunday", async () => {
    for (const [at, monday] of [
      ["2026-11-16T00:00:00Z", "2026-11-16"],
      ["2026-11-22T23:59:59Z", "2026-11-16"],
      ["2026-11-23T00:00:00Z", "2026-11-23"],
    ] as const) {
      const weeks = await readPaymentWeeks(db(), new Date(at), 26);
      expect(weeks.map(({ from }) => from.toISOString())).toEqual(
        Array.from({ length: 26 }, (_, index) =>
          addDays(new Date(`${monday}T00:00:00Z`), -7 * index).toISOString(),
        ),
      );
    }
  });
});

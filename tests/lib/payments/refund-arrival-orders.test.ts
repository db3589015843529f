import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { uniformSource } from "@/lib/engine/random";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { copyProductMappings } from "@/tests/fuzz/payment-sequences";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { paymentEvent } from "@/tests/support/payments";
import { FIXTURES, PLATFORMS, type Platform, platformBytes } from "@/tests/support/platform-fixtures";

// A refund or chargeback and its payment are swapped among other purchases of the buyer: both orders have the same result.

useDatabase({ LOG_LEVEL: "error" });

let sql: postgres.Sql;
beforeAll(async () => {
  sql = connectDirectly();
  await copyProductMappings(sql);
});
afterAll(() => sql.end());

type Told = readonly [Platform | "generic", Buffer];
/** A part of a test case: another purchase, or the payment or its refund or chargeback, whose order changes. */
type Part = "other" | "payment" | "end";
const ACTOR = { kind: "webhook", requestId: "refund-orders" } as const;

async function deliver([platform, bytes]: Told): Promise<void> {
  await receiveDelivery(db(), adapterOf(platform), bytes, ACTOR, 60_000);
}

/** A platform's events for a payment of `run` and for its refund or chargeback. */
function wordsOf(platform: Platform | "generic", run: string, end: "refunded" | "chargeback") {
  const email = `${run}@orders.example`;
  if (platform === "generic") {
    const bytes = (event: unknown) => Buffer.from(JSON.stringify(event));
    const id = `${run}/taken`;
    // Without its buyer: the payment alone says whose it is.
    const ended = paymentEvent({ event: `payment.invoice_${end}`, id, email: undefined, items: [] });
    return {
      introduced: [],
      paid: [[platform, bytes(paymentEvent({ id, email, productId: "3031361" }))] as Told],
      ended: [[platform, bytes(ended)] as Told],
    };
  }
  const sale = {
    payment: `${run}/taken`,
    subscription: `${run}/s`,
    first: true,
    product: "3031361",
    email,
    amount: 9,
    paidAt: new Date(),
  };
  const told = (bodies: readonly object[] | null) =>
    bodies?.map((body, i): Told => [platform, platformBytes(platform, { ...body }, `${run}-${i}`)]) ?? null;
  const paid = told(FIXTURES[platform].paid(sale)) ?? [];
  const ended = told(
    end === "refunded" ? FIXTURES[platform].refunded(sale, null) : FIXTURES[platform].chargeback(sale),
  );
  // Paddle's customer event always comes first.
  return platform === "paddle"
    ? { introduced: paid.slice(0, 1), paid: paid.slice(1), ended }
    : { introduced: [], paid, ended };
}

async function play(
  platform: Platform | "generic",
  end: "refunded" | "chargeback",
  parts: readonly Part[],
): Promise<unknown> {
  const run = randomUUID().slice(0, 13);
  const { introduced, paid, ended } = wordsOf(platform, run, end);
  for (const told of introduced) await deliver(told);
  for (const [i, part] of parts.entries()) {
    if (part === "other") {
      const event = paymentEvent({ id: `${run}/${i}`, email: `${run}@orders.example`, productId: "3031361" });
      await deliver(["generic", Buffer.from(JSON.stringify(event))]);
    } else for (const told of (part === "payment" ? paid : ended) ?? []) await deliver(told);
  }
  const keys = await sql`
    select k.plan_tier, round(extract(epoch from k.expires_at - now()) / 3600)::int as hours
      from api_keys k join subscriptions s on s.id = k.subscription_id
     where s.email_normalized = ${`${run}@orders.example`} and k.revoked_at is null order by k.id`;
  const waiting = await sql`
    select flags from payment_deliveries where flags <> '{}' and reviewed_at is null and invoice_id like ${`%${run}/%`}`;
  return { keys, flags: waiting.flatMap(({ flags }) => flags).sort() };
}

const ATTEMPTS = 3;

describe.each([...PLATFORMS, "generic"] as const)(
  "an invoice by %s, refunded or charged back",
  (platform) => {
    it.each(["refunded", "chargeback"] as const)(
      "an invoice that is %s leaves the same keys, whether that event arrives before or after the payment",
      async (end) => {
        if (wordsOf(platform, "none", end).ended === null) return;
        const random = uniformSource(platform.length * 7 + end.length);
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const parts: Part[] = Array.from({ length: 1 + Math.floor(random() * 3) }, () => "other");
          for (const part of ["payment", "end"] as const)
            parts.splice(attempt === 0 ? parts.length : Math.floor(random() * (parts.length + 1)), 0, part);
          const swapped = parts.map((part) =>
            part === "payment" ? "end" : part === "end" ? "payment" : part,
          );
          expect([parts, await play(platform, end, swapped)]).toEqual([
            parts,
            await play(platform, end, parts),
          ]);
        }
      },
      60_000,
    );
  },
);

it("a chargeback that names another buyer does not save the payer's keys from a cancellation before the payment", async () => {
  const run = randomUUID().slice(0, 13);
  const [payer, other] = [`${run}-payer@orders.example`, `${run}-other@orders.example`];
  const events = [
    paymentEvent({ id: `${run}/first`, email: payer, productId: "3031361" }),
    paymentEvent({ event: "payment.invoice_canceled", id: `${run}/taken`, email: undefined, items: [] }),
    paymentEvent({ event: "payment.invoice_chargeback", id: `${run}/taken`, email: other }),
    paymentEvent({ id: `${run}/taken`, email: payer, productId: "3031361" }),
  ];
  for (const event of events) await deliver(["generic", Buffer.from(JSON.stringify(event))]);
  const keys = await sql`
    select k.revoked_at is not null as is_revoked from api_keys k join subscriptions s on s.id = k.subscription_id
     where s.email_normalized = ${payer}`;
  expect(keys).toEqual([{ is_revoked: true }]);
});

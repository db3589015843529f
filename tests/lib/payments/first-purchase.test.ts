import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { db } from "@/db/client";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { useDatabase } from "@/tests/support/database";
import { FIXTURES, platformBytes } from "@/tests/support/platform-fixtures";
import { statementsOf } from "@/tests/support/sent-statements";

useDatabase({ LOG_LEVEL: "error" });

async function buySubscription(): Promise<void> {
  const id = randomUUID();
  const sale = { payment: id, subscription: id, first: true, product: "pro", amount: 9, paidAt: new Date() };
  const [paid] = FIXTURES.stripe.paid({ ...sale, email: `${id}@first.example` });
  const bytes = platformBytes("stripe", paid!);
  const actor = { kind: "webhook", requestId: "first" } as const;
  const answer = await receiveDelivery(db(), adapterOf("stripe"), bytes, actor, 60_000);
  expect(answer.action).toBe("api_key_created");
}

it("a first purchase of a subscription looks up its buyer in one statement and changes no earlier delivery", async () => {
  const sent = (await statementsOf(buySubscription)).map(({ text }) => text);
  expect(sent.filter((text) => text.includes('"invoices"."external_subscription_id" = '))).toHaveLength(1);
  expect(sent.filter((text) => /^(?:select "invoice_id" from "invoice_names"|update) /.test(text))).toEqual(
    [],
  );
});

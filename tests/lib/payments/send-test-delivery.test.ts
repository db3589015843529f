import { expect, it } from "vitest";
import { platformWebhookUrl, sendTestDelivery } from "@/lib/payments/send-test-delivery";
import { env } from "@/lib/runtime/env";
import { PAYMENT_ADAPTERS } from "@/lib/vocabulary";
import { startApiServer } from "@/tests/support/api-server";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { WEBHOOK_SECRET } from "@/tests/support/payments";
import { PLATFORM_ENVIRONMENT } from "@/tests/support/platform-fixtures";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, ...PLATFORM_ENVIRONMENT });

it("the address of the generic platform is the documented one", () => {
  Object.assign(env(), { baseUrl: "https://signals.example.test" });
  expect(platformWebhookUrl("generic")).toBe("https://signals.example.test/webhooks/payment");
  expect(platformWebhookUrl("stripe")).toBe("https://signals.example.test/webhooks/payments/stripe");
});

it("a test delivery passes through each platform's public address into the inbox, and creates no subscription", async () => {
  const server = await startApiServer();
  Object.assign(env(), { baseUrl: server.url });
  for (const name of PAYMENT_ADAPTERS)
    expect([name, await sendTestDelivery(name, new Date())]).toEqual([name, { status: 200 }]);
  const sql = connectDirectly();
  const rows = await sql`select adapter, event, action from payment_deliveries order by id`;
  expect(rows).toEqual(
    PAYMENT_ADAPTERS.map((adapter) => ({ adapter, event: "operator.test", action: "ignored" })),
  );
  expect(await sql`select 1 from subscriptions where id > 0`).toEqual([]);
  await sql.end();
  const right = env().serviceSecrets;
  Object.assign(env(), { serviceSecrets: { ...right, STRIPE_WEBHOOK_SECRET: [] } });
  await expect(sendTestDelivery("stripe", new Date())).rejects.toMatchObject({ code: "conflict" });
  Object.assign(env(), { serviceSecrets: right });
  await server.close();
  expect(await sendTestDelivery("stripe", new Date())).toBeNull();
});

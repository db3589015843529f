import { expect, it } from "vitest";
import { db } from "@/db/client";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { publishEvents } from "@/lib/outbound/publish";
import { signalPrices } from "@/lib/signals/signal-prices";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { ingest, modelItem } from "@/tests/support/market-data";

useDatabase();

const publish = () =>
  publishEvents(db(), { accessOf: computeReceiverAccess, readPrices: signalPrices }, new Date());

/** A subscriber with an address who wants these mails, or has not chosen. */
async function subscriber(
  email: string,
  plan: string,
  wants: boolean,
): Promise<{ id: number; keyId: number }> {
  const { keyId } = await makeKey({ plan_tier: plan, email });
  const [row] = await db().$client`
    update subscriptions set preferences = ${JSON.stringify(wants ? { mailModels: true } : {})}::jsonb
     where id = (select subscription_id from api_keys where id = ${keyId}) returning id`;
  return { id: row?.id, keyId };
}

it("a model change is mailed once to subscribers of the slot who want it, and to no others", async () => {
  const wants = await subscriber("wants@example.test", "pro", true);
  const basic = await subscriber("basic@example.test", "basic", true);
  await subscriber("silent@example.test", "pro", false);
  const over = await subscriber("over@example.test", "pro", true);
  await call("DELETE", `/admin/keys/${over.keyId}`, { admin: true });
  await ingest("models", [
    modelItem("EURUSD", "H1", { model_v: "a" }),
    modelItem("BTCUSD", "D1", { model_v: "a" }),
  ]);
  await publish();
  await publish();
  const mails = async () => [
    ...(await db()
      .$client`select subscription_id, props from mail_outbox where kind = 'model-changed' order by id`),
  ];
  expect(await mails()).toEqual([
    {
      subscription_id: wants.id,
      props: {
        userName: "Tester",
        slots: [
          { slot: "BTCUSD D1", modelV: "a" },
          { slot: "EURUSD H1", modelV: "a" },
        ],
        nSlots: 2,
      },
    },
    {
      subscription_id: basic.id,
      props: { userName: "Tester", slots: [{ slot: "EURUSD H1", modelV: "a" }], nSlots: 1 },
    },
  ]);
  await ingest("models", [modelItem("EURUSD", "H1", { model_v: "b" })]);
  await publish();
  expect((await mails()).slice(2).map((row) => row.subscription_id)).toEqual([wants.id, basic.id]);
});

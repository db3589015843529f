import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Breaker } from "@/db/breaker";
import type { Database } from "@/db/client";
import { limited } from "@/db/limited-client";
import * as schema from "@/db/schema";
import { generic } from "@/lib/payments/adapters/generic";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { useDatabase } from "@/tests/support/database";
import { freshEmail, paymentEvent, toBytes, WEBHOOK_SECRET } from "@/tests/support/payments";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

let proxy: TcpProxy;
let client: postgres.Sql;
let database: Database;
beforeAll(async () => {
  const opened = await openProxyTo(process.env.DATABASE_DIRECT_URL ?? process.env.DATABASE_URL ?? "");
  proxy = opened.proxy;
  client = postgres(opened.through, { max: 1 });
  const limits = { places: 1, waiting: 10, waitMs: 5_000, limitMs: 5_000 };
  database = drizzle(
    limited(client, limits, new Breaker(async () => true), () => undefined),
    { schema },
  );
  await client`select 1`;
  // What leaves together in several packets is on its way before the first is answered.
  proxy.delay(20);
});
afterAll(async () => {
  await client.end({ timeout: 0 });
  await proxy.cut();
});

/** A packet that leaves late, on a busy machine, counts as a trip of its own. */
const LATE_PACKETS = 3;
const PATIENT_MS = 60_000;

async function expectTrips(event: unknown, action: string, trips: number): Promise<void> {
  const before = proxy.trips;
  const actor = { kind: "webhook", requestId: "r" } as const;
  const answer = await receiveDelivery(database, generic, Buffer.from(toBytes(event)), actor, PATIENT_MS);
  expect(answer.action).toBe(action);
  expect(proxy.trips - before).toBeLessThanOrEqual(trips + LATE_PACKETS);
}

it("a delivery goes few ways to the database, also over a connection that knows none of its statements", async () => {
  const email = freshEmail();
  const first = paymentEvent({ email });
  // Begin, commit, and two looks before, one beside the other where there is a second connection.
  await expectTrips(first, "api_key_created", 11);
  await expectTrips(first, "already_provisioned", 4);
  await expectTrips(paymentEvent({ email }), "already_provisioned", 10);
  await expectTrips({ ...first, event: "payment.invoice_refunded" }, "access_revoked", 12);
});

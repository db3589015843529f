import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { expect, it } from "vitest";
import { databaseUrl, db } from "@/db/client";
import { notificationListener } from "@/db/notifications";
import * as schema from "@/db/schema";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";

useDatabase();

it("the notification probe measures the delay repeatedly and leaves no listener of its channel", async () => {
  const listening = async () => {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen "echo"%'`;
    return row?.n ?? 0;
  };
  const sql = connectDirectly();
  for (let n = 0; n < 3; n++) {
    const ms = await notificationListener().measure(db(), 10_000);
    expect(ms).toBeGreaterThan(0);
  }
  await waitUntil(async () => (await listening()) === 0, 5_000);
  // With another listener, the connection stays and only the channel is left.
  let heard = 0;
  const stop = notificationListener().listen("signals", () => heard++);
  for (let n = 0; n < 3; n++) await notificationListener().measure(db(), 10_000);
  await sql`notify signals`;
  await waitUntil(async () => heard > 0, 5_000);
  expect(heard).toBe(1);
  stop();
  await sql.end();
});

it("the notification probe returns null when no notification arrives in time", async () => {
  // A notification in another database does not arrive in this one.
  const elsewhere = new URL(databaseUrl());
  elsewhere.pathname = "/postgres";
  const client = postgres(elsewhere.href, { max: 1, onnotice: () => undefined });
  expect(await notificationListener().measure(drizzle(client, { schema }), 300)).toBeNull();
  await client.end();
});

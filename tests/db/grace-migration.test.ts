import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { copyMigrationsBefore } from "@/tests/support/migrations-before";
import { withDatabase } from "@/tests/support/suite-database";

describe("the migration of grace periods", () => {
  let server: postgres.Sql;
  let sql: postgres.Sql;
  const name = `grace_rows_${process.pid}`;

  /** Inserts a subscriber whose paid month ended a day ago and who has a failed payment. Grace and key end in these days. */
  async function failed(userName: string, graceDays: number, keyDays: number) {
    const [subscription] = await sql`insert into subscriptions (user_name) values (${userName}) returning id`;
    const [key] = await sql`
      insert into api_keys (subscription_id, key_hash, hint, plan_tier, expires_at)
      values (${subscription!.id}, ${userName}, 'hint', 'basic', now() + make_interval(days => ${keyDays})) returning id`;
    await sql`
      insert into paid_time (subscription_id, key_id, kind, plan_tier, starts_at, duration_ms, grace_ms, created_at)
      values (${subscription!.id}, ${key!.id}, 'payment', 'basic', now() - interval '32 days', ${31 * 86_400_000}::bigint,
              ${3 * 86_400_000}::bigint, now() - interval '32 days')`;
    await sql`
      insert into payment_graces (subscription_id, invoice_id, ends_at, created_at)
      values (${subscription!.id}, 'inv', now() + make_interval(days => ${graceDays}), now() - interval '1 day')`;
  }

  beforeAll(async () => {
    const serverUrl = process.env.TEST_SERVER_URL ?? "";
    server = postgres(serverUrl, { max: 1, onnotice: () => undefined });
    await server.unsafe(`create database ${name}`);
    const url = withDatabase(serverUrl, name);
    await migrateDatabase(url, copyMigrationsBefore("grace_rows"));
    sql = postgres(url, { max: 1, onnotice: () => undefined });
    await failed("running", 9, 9);
    await failed("extended since", 9, 40);
    await failed("over", -1, -1);
    await migrateDatabase(url);
  });
  afterAll(async () => {
    await sql.end();
    await server.unsafe(`drop database if exists ${name} with (force)`);
    await server.end();
  });

  it("the migration adds paid time for a running grace period with its end, and none for one since extended or over", async () => {
    const rows = await sql`
      select s.user_name, p.plan_tier,
             abs(extract(epoch from p.starts_at + p.duration_ms * interval '1 millisecond' - k.expires_at)) < 1 as is_same_end
        from paid_time p join subscriptions s on s.id = p.subscription_id join api_keys k on k.id = p.key_id
       where p.kind = 'grace'`;
    expect(rows).toEqual([{ user_name: "running", plan_tier: "basic", is_same_end: true }]);
  });
});

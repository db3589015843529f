import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { shortEmailHash } from "@/lib/runtime/log";
import { normalizeEmail } from "@/lib/wire/email";
import { copyMigrationsBefore } from "@/tests/support/migrations-before";
import { withDatabase } from "@/tests/support/suite-database";

/** As stored by 1.2.0: NFKC, trimmed and in lower case. */
const former = (email: string) => email.normalize("NFKC").trim().toLowerCase();

describe("the migration of identities", () => {
  let server: postgres.Sql;
  let sql: postgres.Sql;
  const name = `identities_${process.pid}`;
  const ADDRESSES = [
    "Bob@München.example",
    "bob@xn--mnchen-3ya.example",
    "ada@straße.example",
    "eve@日本語.example",
    "kim@bücher.köln.example",
    "zoe\u200b@example.com",
    "zoe@example.com",
    "plain@example.com",
    "Müller@example.com",
  ];
  beforeAll(async () => {
    const serverUrl = process.env.TEST_SERVER_URL ?? "";
    server = postgres(serverUrl, { max: 1, onnotice: () => undefined });
    await server.unsafe(`create database ${name}`);
    const url = withDatabase(serverUrl, name);
    await migrateDatabase(url, copyMigrationsBefore("identities"));
    sql = postgres(url, { max: 1, onnotice: () => undefined });
    for (const [i, email] of ADDRESSES.entries()) {
      const [row] = await sql`
        insert into subscriptions (user_name, email, email_normalized) values ('A', ${email}, ${former(email)})
        returning id`;
      await sql`
        insert into invoices (invoice_id, state, subscription_id, email_hash)
        values (${`inv-${i}`}, 'paid', ${row!.id}, ${shortEmailHash(former(email))})`;
    }
    await sql`insert into users (email_normalized) values (${former(ADDRESSES[0]!)})`;
    await migrateDatabase(url);
  });
  afterAll(async () => {
    await sql.end();
    await server.unsafe(`drop database if exists ${name} with (force)`);
    await server.end();
  });

  it("the migration of identities normalises every stored address and its hash like the service", async () => {
    const rows = await sql`
      select s.email, s.email_normalized, i.email_hash from subscriptions s join invoices i on i.subscription_id = s.id
       order by s.id`;
    expect(rows.map(({ email }) => email)).toEqual(ADDRESSES);
    expect(rows.map((row) => [row.email_normalized, row.email_hash])).toEqual(
      ADDRESSES.map((email) => [normalizeEmail(email), shortEmailHash(normalizeEmail(email))]),
    );
    const [user] = await sql`select email_normalized from users`;
    expect(user!.email_normalized).toBe("bob@xn--mnchen-3ya.example");
  });

  it("the migration of identities lists subscribers that turn out to share an address", async () => {
    const rows = await sql`select subscription_ids from shared_addresses order by id`;
    const ids = await sql`select id from subscriptions where id <> 0 order by id`;
    const pair = (a: number, b: number) => [ids[a]!.id, ids[b]!.id];
    expect(rows.map(({ subscription_ids }) => subscription_ids).sort()).toEqual(
      [pair(0, 1), pair(5, 6)].sort(),
    );
  });
});

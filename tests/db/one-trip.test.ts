import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Breaker } from "@/db/breaker";
import { limited } from "@/db/limited-client";
import { createDatabase } from "@/tests/support/database";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";

let database: Awaited<ReturnType<typeof createDatabase>>;
let proxy: TcpProxy;
let address: string;
const opened: postgres.Sql[] = [];
beforeAll(async () => {
  database = await createDatabase();
  ({ proxy, through: address } = await openProxyTo(database.url));
});
afterEach(async () => {
  for (const client of opened.splice(0)) await client.end({ timeout: 0 });
});
afterAll(async () => {
  await proxy.cut();
  await database.drop();
});

/** A client of one connection, which is there. */
async function open() {
  const client = postgres(address, { max: 1 });
  opened.push(client);
  const limits = { places: 4, waiting: 10, waitMs: 5_000, limitMs: 5_000 };
  const bounded = limited(client, limits, new Breaker(async () => true), () => undefined);
  await client`select 1`;
  return { bounded, database: drizzle(bounded) };
}
async function tripsOf<T>(work: () => Promise<T>): Promise<{ trips: number; answer: T }> {
  const before = proxy.trips;
  const answer = await work();
  return { trips: proxy.trips - before, answer };
}

const VALUES = ["plain", '{"a": 1}', 7, 1.5, null, true, new Uint8Array([0, 255]), ["a", "b,c"]];
const TYPES = "$1::text, $2::jsonb, $3::int, $4::float8, $5::date, $6::boolean, $7::bytea, $8::text[]";

it.each([true, false])("values go with their text, prepared: %s", async (prepare) => {
  const { bounded } = await open();
  const ask = (n: number) => bounded.unsafe("select $1::int + 1 as n, $2::text as t", [n, "x"], { prepare });
  for (const n of [1, 2, 3])
    expect(await tripsOf(async () => [...(await ask(n))])).toEqual({
      trips: 1,
      answer: [{ n: n + 1, t: "x" }],
    });
});

it("statements of a transaction that are sent together take one trip, also the first time", async () => {
  const { database } = await open();
  const { trips, answer } = await tripsOf(() =>
    database.transaction(async (tx) =>
      Promise.all([1, 2, 3].map((n) => tx.execute(sql`select ${n}::int as ${sql.raw(`n${n}`)}`))),
    ),
  );
  // With begin and commit.
  expect(trips).toBe(3);
  expect(answer.map(([row]) => row)).toEqual([{ n1: 1 }, { n2: 2 }, { n3: 3 }]);
});

it.each([true, false])(
  "every kind of value arrives as the driver sends it, again and again, prepared: %s",
  async (prepare) => {
    const { bounded } = await open();
    const own = postgres(database.url, { max: 1 });
    opened.push(own);
    // Tells the driver how values are written and read.
    drizzle(own);
    for (const last of [VALUES.length, 5]) {
      const text = `select ${TYPES.split(", ").slice(0, last).join(", ")}`;
      const values = VALUES.slice(0, last) as string[];
      const expected = await own.unsafe(text, values).values();
      for (let time = 0; time < 3; time++)
        expect(await bounded.unsafe(text, values, { prepare }).values()).toEqual(expected);
    }
  },
);

it("a mistake in the text, in a value or in what it does is told, and the connection goes on", async () => {
  const { bounded } = await open();
  const codeOf = (text: string, values: (string | number)[]) =>
    bounded.unsafe(text, values, { prepare: true }).then(
      () => "done",
      (error: { code?: string }) => error.code,
    );
  for (let time = 0; time < 2; time++) {
    expect(await codeOf("select $1::int frm", ["1", "2"])).toBe("42P18");
    expect(await codeOf("selct $1", ["1"])).toBe("42601");
    expect(await codeOf("select $1::int", ["x"])).toBe("22P02");
    expect(await codeOf("select 1 / $1::int", [0])).toBe("22012");
    expect(await codeOf("select 1 / $1::int", [1])).toBe("done");
  }
  await expect(bounded.unsafe("select $1::text", [undefined as unknown as string])).rejects.toMatchObject({
    code: "UNDEFINED_VALUE",
  });
  expect([...(await bounded.unsafe("select $1::int as n", [5]))]).toEqual([{ n: 5 }]);
});

it("a caller's list of values stays as it was", async () => {
  const { bounded } = await open();
  const values = [1, "x"];
  await bounded.unsafe("select $1::int, $2::text", values);
  expect(values).toEqual([1, "x"]);
});

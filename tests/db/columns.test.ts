import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import {
  boolean,
  columns,
  decimal,
  json,
  number,
  safeInteger,
  text,
  textArray,
  timestamp,
  timestampOrNull,
} from "@/db/queries/columns";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const EVERY_KIND = columns({
  word: text("t.word"),
  missing: text<string | null>("null::text"),
  half: number("0.5::float8"),
  isThere: boolean("t.word is not null"),
  list: textArray("array['a', 'b c']"),
  facts: json<{ n: number }>(`'{"n": 1}'::jsonb`),
  money: decimal("0.10 + 0.20"),
  ticket: decimal("9223372036854775807"),
  id: safeInteger("17::bigint"),
  openedAt: timestamp("timestamptz '2026-11-22 10:00:00.1239+02'"),
  closedAt: timestampOrNull("null::timestamptz"),
  given: number(sql`${41}::int + 1`),
});

describe("column lists", () => {
  it("column lists select and decode each kind of column under its given name", async () => {
    const rows = await EVERY_KIND.all(
      db(),
      sql`select ${EVERY_KIND.list} from (values ('x'), ('y')) t(word) order by t.word`,
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({
      word: "x",
      missing: null,
      half: 0.5,
      isThere: true,
      list: ["a", "b c"],
      facts: { n: 1 },
      money: "0.30",
      ticket: "9223372036854775807",
      id: 17,
      openedAt: new Date("2026-11-22T08:00:00.123Z"),
      closedAt: null,
      given: 42,
    });
  });

  it("first() returns null for a query without a row, and one() fails", async () => {
    const none = sql`select ${EVERY_KIND.list} from (values ('x')) t(word) where false`;
    expect(await EVERY_KIND.first(db(), none)).toBeNull();
    await expect(EVERY_KIND.one(db(), none)).rejects.toThrow("always has a row");
  });
});

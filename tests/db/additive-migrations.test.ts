import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import journal from "@/db/migrations/meta/_journal.json" with { type: "json" };
import { schemaFloorOf } from "@/db/schema-guard";
import { schemaFloorStatement } from "@/tests/support/schema-floor";

const FOLDER = fileURLToPath(new URL("../../db/migrations/", import.meta.url));
/** The newest migration of version 1.3.0; update it at each release. */
const OF_LAST_RELEASE = "0012_engine.sql";

/** Changes of the schema that break the previous release, which still serves during an upgrade, with their SQL patterns. */
const CONTRACTING: readonly { what: string; pattern: RegExp }[] = [
  { what: "a table goes", pattern: /\bdrop\s+table\b/i },
  { what: "a column goes", pattern: /\bdrop\s+column\b/i },
  { what: "a table or column is renamed", pattern: /^alter table \S+ rename (?:to|column)\b/i },
  { what: "a column that was optional is demanded", pattern: /\bset\s+not\s+null\b/i },
  { what: "a column loses its default", pattern: /\bdrop\s+default\b/i },
  {
    what: "a new column is demanded of writers who do not know it",
    pattern: /\badd\s+column\b(?=[^,;]*\bnot\s+null\b)(?![^;]*\b(?:default|generated)\b)[^;]*/i,
  },
];

/** The statements of a migration, without comments and function bodies. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .split(";")
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim());
}

/** The statements of a migration that break the previous release. A renamed table whose former name is a view does not. */
function contractions(sql: string): string[] {
  const statements = statementsOf(sql);
  const keepsName = (statement: string) => {
    const [, table] = /^alter table (\S+) rename to /i.exec(statement) ?? [];
    return table !== undefined && statements.some((other) => other.startsWith(`CREATE VIEW ${table} AS `));
  };
  return statements.flatMap((statement) =>
    CONTRACTING.filter(({ pattern }) => pattern.test(statement) && !keepsName(statement)).map(
      ({ what }) => `${what}: ${statement.slice(0, 90)}`,
    ),
  );
}

describe("migrations after the last release", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));

  it("migrations after the last release are additive, or they raise the schema floor", () => {
    expect(files).toContain(OF_LAST_RELEASE);
    const found = files
      .filter((name) => name > OF_LAST_RELEASE)
      .map((name) => ({ name, sql: readFileSync(FOLDER + name, "utf8") }))
      .filter(({ sql }) => schemaFloorOf(sql) === null)
      .flatMap(({ name, sql }) => contractions(sql).map((what) => `${name}: ${what}`));
    const [example] = journal.entries.slice(-1);
    expect(
      found,
      "Contract one release later. A migration that builds before another migration cannot live with says so by the " +
        `instant of that one in the journal: ${schemaFloorStatement(example?.when ?? 0)}`,
    ).toEqual([]);
  });

  it("the schema floor (the migration that a build must know) is raised only to an existing migration, and never lowered", () => {
    const instants = journal.entries.map(({ when }) => when);
    const floors = files
      .toSorted()
      .flatMap((name) => schemaFloorOf(readFileSync(FOLDER + name, "utf8")) ?? []);
    expect(floors.filter((ms) => !instants.includes(ms))).toEqual([]);
    expect(floors).toEqual(floors.toSorted((a, b) => a - b));
    expect(schemaFloorOf(schemaFloorStatement(17))).toBe(17);
  });

  it("the statements of a migration are classified as additive or breaking", () => {
    for (const sql of [
      'ALTER TABLE "signals" DROP COLUMN "regime";',
      'ALTER TABLE "signals" RENAME COLUMN "a" TO "b";',
      'ALTER TABLE "signals"\n  ALTER COLUMN "regime" SET NOT NULL;',
      'ALTER TABLE "signals" ADD COLUMN "kind" text NOT NULL;',
      "DROP TABLE old_things;",
      'ALTER TABLE "things" RENAME TO "goods";',
      'ALTER TABLE "things" RENAME TO "goods"; CREATE VIEW "other" AS SELECT "id" FROM "goods";',
    ])
      expect(contractions(sql), sql).toHaveLength(1);
    for (const sql of [
      'ALTER TABLE "signals" ADD COLUMN "kind" text DEFAULT \'a\' NOT NULL;',
      'ALTER TABLE "signals" ADD COLUMN "kind" text;',
      'ALTER TABLE "signals" ADD COLUMN "n" int GENERATED ALWAYS AS (1) STORED NOT NULL;',
      'CREATE TABLE "more" ("id" integer PRIMARY KEY, "name" text NOT NULL);',
      'ALTER TABLE "things" RENAME TO "goods"; CREATE VIEW "things" AS SELECT "id" FROM "goods";',
      'ALTER INDEX "things_name" RENAME TO "goods_name";',
      'ALTER TABLE "goods" RENAME CONSTRAINT "things_pkey" TO "goods_pkey";',
      "-- drop table signals\ncreate function f() returns void language plpgsql as $$ begin drop table t; end $$;",
    ])
      expect(contractions(sql), sql).toEqual([]);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generateDrizzleJson } from "drizzle-kit/api";
import { check, integer, pgTable, text } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import * as schema from "@/db/schema";
import { oneOf } from "@/db/schema/columns";

const META = fileURLToPath(new URL("../../db/migrations/meta", import.meta.url));

/** A snapshot without its position among the others. File names and key order are ignored. */
function contentOf(snapshot: object): Record<string, unknown> {
  const { id, prevId, ...content } = JSON.parse(JSON.stringify(snapshot));
  return content;
}

function latestSnapshot(): Record<string, unknown> {
  const name = readdirSync(META)
    .filter((file) => file.endsWith("_snapshot.json"))
    .sort()
    .at(-1);
  if (!name) throw new Error("there is no migration");
  return contentOf(JSON.parse(readFileSync(`${META}/${name}`, "utf8")));
}

describe("the latest migration", () => {
  it("the latest migration matches db/schema; otherwise run npm run db:generate", () => {
    expect(contentOf(generateDrizzleJson(schema))).toEqual(latestSnapshot());
  });

  it("the comparison with db/schema detects a changed CHECK", () => {
    const slots = (words: readonly string[]) =>
      pgTable("slots", { id: integer("id").primaryKey(), timeframe: text("timeframe") }, (t) => [
        check("slots_timeframe", oneOf(t.timeframe, words)),
      ]);
    const snapshot = (words: readonly string[]) => contentOf(generateDrizzleJson({ slots: slots(words) }));
    expect(snapshot(["H1", "H4"])).toEqual(snapshot(["H1", "H4"]));
    expect(snapshot(["H1", "H4"])).not.toEqual(snapshot(["H1"]));
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../db/schema", import.meta.url));

describe("db/schema", () => {
  it("every index in db/schema has a comment on the line above", () => {
    const silent: string[] = [];
    let found = 0;
    for (const file of readdirSync(folder)) {
      const lines = readFileSync(join(folder, file), "utf8").split("\n");
      lines.forEach((line, i) => {
        const name = /^\s+(?:uniqueIndex|index)\("(\w+)"\)/.exec(line)?.[1];
        if (!name) return;
        found++;
        if (!lines[i - 1]?.trim().startsWith("//")) silent.push(`${file}: ${name}`);
      });
    }
    expect(found).toBeGreaterThan(20);
    expect(silent).toEqual([]);
  });

  it("no file of db/schema but columns.ts calls timestamp(), so that every timestamp has a time zone", () => {
    const others = readdirSync(folder).filter(
      (file) => file !== "columns.ts" && /\btimestamp\(/.test(readFileSync(join(folder, file), "utf8")),
    );
    expect(others).toEqual([]);
  });
});

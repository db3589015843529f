import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");

it("every promise in docs/security.md names an existing test", () => {
  const rows = [...read("docs/security.md").matchAll(/^\| .+ \| (tests\/\S+\.test\.ts) \| (.+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  const missing = rows.filter(([, file = "", title]) => !read(file).includes(`"${title}"`));
  expect(missing.map(([row]) => row)).toEqual([]);
});

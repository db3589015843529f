import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { listRoutes } from "@/tests/authorisation/routes";

/** Form addresses available to pages: `lib/paths.ts` types the intents of each handler. */
function namedForms(): string[] {
  const entries = readFileSync("lib/paths.ts", "utf8").matchAll(
    /intent:\s*((?:\|?\s*"[\w-]+"\s*)+),?\s*\)\s*=>\s*form\(["`]([^"`]+)["`], intent\)/g,
  );
  return [...entries].flatMap(([, union = "", page = ""]) =>
    [...union.matchAll(/"([\w-]+)"/g)].map(
      ([, intent]) => `POST ${page.replaceAll(/\$\{[^}]*\}/g, "{}")}/act?intent=${intent}`,
    ),
  );
}

it("lib/paths.ts offers exactly the form addresses that handlers answer", () => {
  const answered = listRoutes()
    .map(({ name }) => name)
    .filter((name) => name.includes("?intent="))
    .map((name) => name.replaceAll(/\{\w+\}/g, "{}"));
  expect(answered.length).toBeGreaterThan(20);
  expect(namedForms().toSorted()).toEqual(answered.toSorted());
});

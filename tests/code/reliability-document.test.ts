import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { faults } from "@/tests/faults";
import { fuzzes } from "@/tests/fuzz";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");

it("docs/reliability.md names existing commands and every fault and fuzz run", () => {
  const told = [...read("docs/reliability.md").matchAll(/`npm run (faults|fuzz) -- ([a-z-]+)/g)];
  const named = (command: string) =>
    new Set(told.filter(([, of]) => of === command).map(([, , name]) => name));
  expect([...named("faults")].sort()).toEqual(Object.keys(faults).sort());
  expect([...named("fuzz")].sort()).toEqual(Object.keys(fuzzes).sort());
});

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SERVICE_SECRET_NAMES, VARIABLE_NAMES } from "@/lib/runtime/variables";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

describe(".env.example", () => {
  const text = read(".env.example");
  const lines = text.split("\n");
  const listed = lines.flatMap((line) => /^#?\s?([A-Z][A-Z0-9_]+)=/.exec(line)?.[1] ?? []);

  it(".env.example names every variable that the service reads once, and no other", () => {
    expect(VARIABLE_NAMES.length).toBeGreaterThan(15);
    const named = SERVICE_SECRET_NAMES.filter((name) => !listed.includes(name) && text.includes(name));
    expect([...listed, ...named].toSorted()).toEqual(VARIABLE_NAMES.toSorted());
  });

  it(".env.example sets no variable and contains no secret", () => {
    expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
    for (const line of lines) expect(line).not.toMatch(/(SECRET|KEY|TOKEN)=\S/);
  });
});

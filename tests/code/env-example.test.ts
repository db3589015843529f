import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

describe(".env.example", () => {
  const lines = read(".env.example").split("\n");
  const listed = lines.flatMap((line) => /^#?\s?([A-Z][A-Z0-9_]+)=/.exec(line)?.[1] ?? []);

  it("lists every variable that is read, once, and nothing else", () => {
    const schema = /const Variables = z\.object\(\{(.*?)\n\}\);/s.exec(read("lib/runtime/env.ts"))?.[1] ?? "";
    const variables = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1]);
    expect(variables.length).toBeGreaterThan(15);
    // Set by the tool that runs, never by a person's file.
    const wanted = variables.filter((name) => name !== "NODE_ENV");
    expect(listed.toSorted()).toEqual(wanted.toSorted());
  });

  it("sets nothing by itself and holds no secret", () => {
    expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
    for (const line of lines) expect(line).not.toMatch(/(SECRET|KEY|TOKEN)=\S/);
  });
});

import { describe, expect, it } from "vitest";
import { findLongSubjects, findWordingProblems } from "./wording";

const found = (text: string, file = "docs/page.md") =>
  findWordingProblems(file, text).map((hit) => [hit.line, hit.text]);

describe("the wording check", () => {
  it("finds a phrase with its line, even across the lines of a comment", () => {
    expect(found("One.\nA process of its own.\n")).toEqual([[2, "of its own"]]);
    expect(found("/**\n * A process of its\n * own, made anew.\n */", "lib/a.ts")).toEqual([
      [2, "of its own"],
      [3, "anew"],
    ]);
    expect(found("# read by\n# Whoever asks", ".env.example")).toEqual([[2, "whoever"]]);
  });

  it("finds a heading that is a clause, in Markdown only", () => {
    expect(found("## What is kept\n\n## Data retention\n")).toEqual([[1, "## What is kept"]]);
    expect(found("## What is kept\n", "deploy/a.yml")).toEqual([]);
    expect(found("```sh\n# Where candles come from\n```\n")).toEqual([]);
  });

  it("ignores plain text and parts of other words", () => {
    expect(found("Its own process starts again, on behalf of its owner.\n\n## Whole days\n")).toEqual([]);
  });

  it("finds commit subjects of more than 72 letters, except those of merges", () => {
    const long = `docs: ${"x".repeat(67)}`;
    expect(findLongSubjects(["docs: short", long, `Merge ${long}`])).toEqual([long]);
  });
});

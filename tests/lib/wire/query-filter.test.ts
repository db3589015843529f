import { describe, expect, test } from "vitest";
import {
  choiceFilter,
  confidenceFilter,
  instantTextFilter,
  pageNumberFilter,
  textFilter,
  toListPage,
  wholeNumberFilter,
} from "@/lib/wire/query-filter";

describe("page query parameters", () => {
  test("a search is truncated and loses blanks and NULs", () => {
    expect(textFilter(5).parse("  Ada\0 Lovelace ")).toBe("Ada L");
    for (const nothing of [undefined, "", "   ", "\0", ["a", "b"]])
      expect(textFilter().parse(nothing)).toBeUndefined();
  });

  test("a choice is one of its values or unset", () => {
    const filter = choiceFilter(["active", "expired"]);
    expect(filter.parse(" active ")).toBe("active");
    for (const other of ["Active", "gone", "", undefined, ["active"]])
      expect(filter.parse(other)).toBeUndefined();
  });

  test("a count is a whole number from 1 to its maximum", () => {
    expect(wholeNumberFilter(30).parse("30")).toBe(30);
    for (const other of ["0", "31", "-1", "1.5", "1e1", "", "seven", undefined])
      expect(wholeNumberFilter(30).parse(other)).toBeUndefined();
  });

  test("a confidence is a percentage or a share, with a point or a comma", () => {
    for (const same of ["60", "60 %", "60%", " 60 ", "0.6", "0,6", "60.0"])
      expect(confidenceFilter.parse(same)).toBe(0.6);
    expect(confidenceFilter.parse("100")).toBe(1);
    expect(confidenceFilter.parse("1")).toBe(1);
    expect(confidenceFilter.parse("1 %")).toBe(0.01);
    for (const other of ["101", "-1", "1e1", "", "sixty", "%", undefined])
      expect(confidenceFilter.parse(other)).toBeUndefined();
  });

  test("an instant keeps its microseconds, and an invalid one is unset", () => {
    expect(instantTextFilter.parse("2026-11-21T05:00:00.123456Z")).toBe("2026-11-21T05:00:00.123456Z");
    for (const other of ["2026-11-21", "2026-11-21T25:00:00Z", "2026-11-21T05:00:00+02:00", ""])
      expect(instantTextFilter.parse(other)).toBeUndefined();
  });

  test("an invalid page number is the first page", () => {
    expect(toListPage(pageNumberFilter.parse("3"), 50)).toEqual({ number: 3, limit: 50, offset: 100 });
    for (const other of ["0", "-1", "x", undefined])
      expect(toListPage(pageNumberFilter.parse(other), 50)).toEqual({ number: 1, limit: 50, offset: 0 });
  });
});

import { describe, expect, test } from "vitest";
import { formatReason, formatReasons, parseReason, reasonSentence } from "@/lib/health/health-reason";

const stale = { code: "stale_slots", text: "3 of 15 active slots have no fresh signal" };

describe("a health reason", () => {
  test("formatReason joins a health reason's code and text with a colon; formatReasons of none is null", () => {
    expect(formatReason(stale)).toBe("stale_slots: 3 of 15 active slots have no fresh signal");
    expect(formatReasons([])).toBeNull();
  });

  test.each(["stale_slots: 3 of 15", "a: b: c", "two lines: one\ntwo", "without a word", ""])(
    "the health reason %j survives a round trip",
    (stored) => {
      expect(formatReason(parseReason(stored))).toBe(stored);
    },
  );

  test("reasonSentence returns a health reason's text as a sentence without its code", () => {
    expect(reasonSentence(stale)).toBe("3 of 15 active slots have no fresh signal.");
    expect(reasonSentence({ code: "", text: "it stopped!" })).toBe("It stopped!");
  });
});

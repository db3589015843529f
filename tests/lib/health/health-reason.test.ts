import { describe, expect, test } from "vitest";
import { readReason, reasonSentence, writeReason, writeReasons } from "@/lib/health/health-reason";

const stale = { code: "stale_slots", text: "3 of 15 active slots have no fresh signal" };

describe("a health reason", () => {
  test("writeReason joins a health reason's code and text with a colon; writeReasons of none is null", () => {
    expect(writeReason(stale)).toBe("stale_slots: 3 of 15 active slots have no fresh signal");
    expect(writeReasons([])).toBeNull();
  });

  test.each(["stale_slots: 3 of 15", "a: b: c", "two lines: one\ntwo", "without a word", ""])(
    "the health reason %j survives a round trip",
    (stored) => {
      expect(writeReason(readReason(stored))).toBe(stored);
    },
  );

  test("reasonSentence returns a health reason's text as a sentence without its code", () => {
    expect(reasonSentence(stale)).toBe("3 of 15 active slots have no fresh signal.");
    expect(reasonSentence({ code: "", text: "it stopped!" })).toBe("It stopped!");
  });
});

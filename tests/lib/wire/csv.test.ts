import { describe, expect, it } from "vitest";
import { csvRecord } from "@/lib/wire/csv";

describe("a CSV record", () => {
  it("a CSV record is quoted as RFC 4180 requires and ends with CRLF", () => {
    expect(csvRecord([{ text: 'a "b", c' }, { text: "two\nlines" }, { text: "plain" }, { text: null }])).toBe(
      '"a ""b"", c","two\nlines",plain,\r\n',
    );
  });

  it("digits are written as text for Excel and plainly for programs", () => {
    const cells = [
      { digits: "9007199254740993" },
      { digits: null },
      { text: "0012" },
      { text: "123456789012345" },
      { number: 1.5 },
    ];
    expect(csvRecord(cells)).toBe("9007199254740993,,0012,123456789012345,1.5\r\n");
    expect(csvRecord(cells, "excel")).toBe(
      '"=""9007199254740993""",,"=""0012""","=""123456789012345""",1.5\r\n',
    );
  });

  it.each(["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\0x", "＝1+1", "＋1", "－1", "＠x"])(
    "text that begins like a formula is escaped: %j",
    (text) => {
      expect(csvRecord([{ text }]).replaceAll('"', "").startsWith("'")).toBe(true);
    },
  );

  it("figures and instants are written unchanged", () => {
    expect(
      csvRecord([{ number: "-4.50" }, { number: -1 }, { at: new Date("2026-11-21T08:00:00.123Z") }]),
    ).toBe("-4.50,-1,2026-11-21T08:00:00Z\r\n");
  });
});

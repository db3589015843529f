import { describe, expect, it } from "vitest";
import { printableName } from "@/lib/payments/delivery";
import { PersonName } from "@/lib/wire/person-name";

describe("a person's name", () => {
  it.each(["Ada Lovelace", "O'Neil", "Łukasz", "محمد", "דוד", "山田 太郎", "😀".repeat(60)])(
    "a name may be %s",
    (name) => {
      expect(PersonName.parse(` ${name} `)).toBe(name);
      expect(printableName(name)).toBe(name);
    },
  );

  it.each([
    ["a line break", "Ada\r\nBcc: x@example.com"],
    ["a separator of lines", "Ada\u2028Lovelace"],
    ["a sign that turns the direction of what follows", "Ada\u202egnp.exe"],
    ["an isolate that is never closed", "Ada\u2067x"],
  ])("a name must not contain %s: refused in forms, removed from platform data", (_what, name) => {
    expect(PersonName.safeParse(name).success).toBe(false);
    expect(PersonName.safeParse(printableName(name)).success).toBe(true);
    expect(printableName(name)).toMatch(/^Ada \S/);
  });
});

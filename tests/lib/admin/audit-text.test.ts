import { expect, it } from "vitest";
import { auditDetails } from "@/lib/admin/audit-text";

it("a change names the fields that differ, with both values", () => {
  const before = { title: "Pro", priceText: null, symbols: ["EURUSD"] };
  expect(auditDetails({ before, after: { ...before, priceText: "79 EUR" } })).toBe("price text – → 79 EUR");
});

it("a created row shows each field's value, with a dash before it", () => {
  expect(auditDetails({ before: null, after: { symbol: "DE40", digits: 1 } })).toBe(
    "symbol – → DE40, digits – → 1",
  );
});

it("long texts are shortened with an ellipsis to under 140 characters together", () => {
  const said = auditDetails({ before: "old ".repeat(2_000), after: "new ".repeat(2_000) });
  expect(said).toMatch(/^old old .*… → new new .*…$/);
  expect(said.length).toBeLessThan(140);
});

it("truth values, lists and names of fields are shown as words", () => {
  expect(auditDetails({ returning: false, changed: ["userName", "notes"], endsAt: null })).toBe(
    "returning no, changed userName and notes, ends at –",
  );
});

it("details other than a change show their names, and empty details are a dash", () => {
  expect(auditDetails({ name: "Ada", role: "owner" })).toBe("name Ada, role owner");
  expect(auditDetails({ before: "basic", after: "pro", reason: null })).toBe("basic → pro, reason –");
  expect(auditDetails({})).toBe("–");
});

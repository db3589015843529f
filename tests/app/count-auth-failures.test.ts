import { expect, it } from "vitest";
import { countAuthFailures } from "@/app/admin/(area)/(overview)/_components/count-auth-failures";
import { ERRORS } from "@/lib/wire/errors";

it("error codes of a refused key, token, secret or signature count as authentication failures, other codes do not", () => {
  const refusals = Object.keys(ERRORS).filter((code) =>
    /^(key_(?!missing|unverifiable)|.*(secret|token|signature)_invalid$)/.test(code),
  );
  expect(refusals).toHaveLength(9);
  expect(countAuthFailures(new Map(refusals.map((code) => [code, 1])))).toBe(9);
  const others = Object.keys(ERRORS).filter((code) => !refusals.includes(code));
  expect(countAuthFailures(new Map(others.map((code) => [code, 1])))).toBe(0);
});

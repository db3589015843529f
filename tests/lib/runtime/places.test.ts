import { expect, it } from "vitest";
import { takePlace } from "@/lib/runtime/places";

it("a place is given back once, however often that is said", () => {
  const first = takePlace("test", 2);
  takePlace("test", 2);
  expect(takePlace("test", 2)).toBeNull();
  first?.();
  first?.();
  expect(takePlace("test", 2)).not.toBeNull();
  expect(takePlace("test", 2)).toBeNull();
});

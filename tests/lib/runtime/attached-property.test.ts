import { expect, it } from "vitest";
import { AttachedProperty } from "@/lib/runtime/attached-property";

it("a symbol property is a separate, hidden value of each object", () => {
  const [sizes, names] = [new AttachedProperty<object, number>(), new AttachedProperty<object, string>()];
  const [one, other] = [{ own: 1 }, {}];
  sizes.set(one, 3);
  sizes.set(one, 4);
  names.set(one, "one");
  expect([sizes.of(one), names.of(one), sizes.of(other)]).toEqual([4, "one", undefined]);
  expect(JSON.stringify(one)).toBe('{"own":1}');
  expect(Object.keys(one)).toEqual(["own"]);
});

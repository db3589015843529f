import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { renewedBehind } from "@/lib/admin/renewed-behind";

test("the last value is answered at once and renewed behind the caller", async () => {
  let n = 0;
  const read = renewedBehind("test-renewal", 5, async () => ++n);
  expect(await read()).toBe(1);
  expect(await read(), "still fresh").toBe(1);
  await pause(15);
  expect(await read(), "old, answered all the same").toBe(1);
  await pause(1);
  expect(await read()).toBe(2);
});

test("a failed renewal leaves the last value, a failed first reading is tried again", async () => {
  const outcomes = [new Error("first"), "a", new Error("renewal"), "b"];
  const read = renewedBehind("test-failure", 0, async () => {
    const next = outcomes.shift();
    if (next instanceof Error) throw next;
    return next;
  });
  await expect(read()).rejects.toThrow("first");
  expect(await read()).toBe("a");
  await pause(2);
  expect(await read(), "its renewal fails").toBe("a");
  await pause(2);
  expect(await read()).toBe("a");
  await pause(2);
  expect(await read()).toBe("b");
});

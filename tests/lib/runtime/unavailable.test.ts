import postgres from "postgres";
import { describe, expect, it, vi } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { DeadlineError, isDatabaseUnavailable, withDeadline } from "@/lib/runtime/unavailable";

const coded = (code: string) => Object.assign(new Error("secret"), { code });

describe("isDatabaseUnavailable", () => {
  it.each([
    "ECONNREFUSED",
    "CONNECT_TIMEOUT",
    "EAI_AGAIN",
    "57P01",
    "57P03",
    "53300",
    "08006",
    "08P01",
    "58030",
    "57014",
    "55P03",
    "40P01",
    "42P01",
    "DEADLINE",
  ])("isDatabaseUnavailable is true for an error with the code %s, and for one caused by it", (code) => {
    expect(isDatabaseUnavailable(coded(code))).toBe(true);
    expect(isDatabaseUnavailable(new Error("wrapped", { cause: coded(code) }))).toBe(true);
  });

  it.each(["23505", "22P02", "42703", "ENOENT"])(
    "isDatabaseUnavailable is false for an error with the code %s",
    (code) => {
      expect(isDatabaseUnavailable(coded(code))).toBe(false);
    },
  );

  it("isDatabaseUnavailable is false for a value that is no Error", () => {
    expect(isDatabaseUnavailable({ code: "ECONNREFUSED" })).toBe(false);
    expect(isDatabaseUnavailable(null)).toBe(false);
  });

  it("isDatabaseUnavailable is true for the driver's error for a closed port", async () => {
    const sql = postgres(`postgres://u:p@127.0.0.1:${await pickFreePort()}/x`, {
      max: 1,
      connect_timeout: 2,
    });
    const error = await sql`select 1`.catch((reason: unknown) => reason);
    await sql.end({ timeout: 0 });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });
});

describe("withDeadline", () => {
  it("withDeadline passes on a value or an error in time, and leaves no timer", async () => {
    vi.useFakeTimers();
    await expect(withDeadline(Promise.resolve(7), 1_000)).resolves.toBe(7);
    await expect(withDeadline(Promise.reject(new TypeError("x")), 1_000)).rejects.toThrow(TypeError);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it("withDeadline rejects with a DeadlineError at the deadline", async () => {
    vi.useFakeTimers();
    const outcome = expect(withDeadline(new Promise(() => undefined), 1_000)).rejects.toThrow(DeadlineError);
    await vi.advanceTimersByTimeAsync(1_000);
    await outcome;
    vi.useRealTimers();
  });
});

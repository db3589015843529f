import { expect, it } from "vitest";
import { MAIL_GIVE_UP_AFTER_MS, mailRetryDelayMs } from "@/lib/outbound/mail/retry-delay";
import { parseRetryAfterSeconds } from "@/lib/outbound/retry-after";

it("a mail's retry delay doubles from 5 seconds to 6 hours, less a random part of at most half", () => {
  expect(mailRetryDelayMs(1, undefined, 0)).toBe(2_500);
  expect(mailRetryDelayMs(1, undefined, 1)).toBe(5_000);
  expect(mailRetryDelayMs(4, undefined, 1)).toBe(40_000);
  expect(mailRetryDelayMs(40, undefined, 1)).toBe(6 * 3_600_000);
});

it("more than 20 attempts, with pauses of at most 6 hours, are made before a mail is abandoned", () => {
  let elapsedMs = 0;
  let attempts = 0;
  while (elapsedMs < MAIL_GIVE_UP_AFTER_MS) {
    attempts++;
    const delayMs = mailRetryDelayMs(attempts, undefined, 1);
    expect(delayMs).toBeLessThanOrEqual(6 * 3_600_000);
    elapsedMs += delayMs;
  }
  expect(attempts).toBeGreaterThan(20);
});

it("a mail's retry delay is at least the server's Retry-After, of which at most an hour counts", () => {
  expect(mailRetryDelayMs(1, 30, 0)).toBe(30_000);
  expect(mailRetryDelayMs(10, 1, 0)).toBe(1_280_000);
  expect(mailRetryDelayMs(1, 1e6, 0)).toBe(3_600_000);
});

it("Retry-After is parsed as seconds or as a date", () => {
  const now = new Date("2026-11-21T08:00:00Z");
  expect(parseRetryAfterSeconds("17", now)).toBe(17);
  expect(parseRetryAfterSeconds("Sat, 21 Nov 2026 08:00:30 GMT", now)).toBe(30);
  expect(parseRetryAfterSeconds("Sat, 21 Nov 2026 07:00:00 GMT", now)).toBe(0);
  expect(parseRetryAfterSeconds("soon", now)).toBeNull();
  expect(parseRetryAfterSeconds(undefined, now)).toBeNull();
});

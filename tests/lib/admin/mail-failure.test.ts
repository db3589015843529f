import { expect, it } from "vitest";
import { mailFailureText } from "@/app/admin/(area)/mail/_components/failure-text";

it.each([
  ["smtp_535_EAUTH", "user name or password"],
  ["smtp_550_EENVELOPE", "refused the recipient's or the sender's address"],
  ["smtp_554_EMESSAGE", "refused the mail"],
  ["smtp_421_EPROTOCOL", "asked to try later"],
  ["smtp_ECONNREFUSED", "could not be reached"],
  ["smtp_EDNS", "was not found"],
  ["resend_401_restricted_api_key", "API key"],
  ["resend_unreachable", "did not answer"],
  ["outbox_ENOSPC", "local outbox"],
  ["link_expired", "expired"],
])("mailFailureText explains the mail error code %s", (code, words) => {
  expect(mailFailureText(code)).toContain(words);
});

it("mailFailureText is null for an unknown mail error code", () => {
  expect(["smtp", "smtp_late", "resend_418_teapot", "other"].map(mailFailureText)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

import { beforeAll, describe, expect, it } from "vitest";
import { POST as feeds } from "@/app/admin/(area)/feeds/act/route";
import { POST as models } from "@/app/admin/(area)/models/act/route";
import { post, signInAdmin, takeFlash } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

describe("a new token", () => {
  it.each([
    ["a terminal", feeds.forms["create-token"], {}, "/admin/feeds#tokens", "feed-token"],
    [
      "a model's server",
      models.forms["create-token"],
      { slots: "EURUSD/H1" },
      "/admin/models#tokens",
      "producer-token",
    ],
  ] as const)(
    "a new token of %s is shown once, at the card that the form redirects to",
    async (_, form, fields, page, kind) => {
      const answer = await post(form, {}, { name: "one", ...fields }, { cookie });
      expect(answer.headers.get("location")).toBe(page);
      expect(await takeFlash(cookie)).toMatchObject({ kind, name: "one", token: expect.any(String) });
      expect(await takeFlash(cookie)).toBeNull();
    },
  );
});

import { beforeAll, describe, expect, it } from "vitest";
import { POST as feeds } from "@/app/admin/(area)/feeds/act/route";
import { POST as models } from "@/app/admin/(area)/models/act/route";
import { db } from "@/db/client";
import { insertFeedToken, listFeedTokens, markFeedTokenRevoked } from "@/db/queries/feed-tokens";
import { insertProducerToken, listProducerTokens } from "@/db/queries/producer-tokens";
import { pushFeedName } from "@/lib/access/feed-tokens";
import { listFeedNames } from "@/lib/admin/read-feeds";
import { postAdminForm, signInAdmin, takeFlash } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

describe("many tokens", () => {
  it("all 22 active tokens are listed, terminals also as feeds, and of the ended tokens only the requested number", async () => {
    const names = Array.from({ length: 22 }, (_, n) => `Terminal ${n}`);
    for (const name of names) {
      const hash = { tokenHash: name, hint: "x" };
      await insertFeedToken(db(), { name, ...hash });
      await insertProducerToken(db(), { name, ...hash, slots: [] });
    }
    expect(await listFeedNames(db())).toEqual(expect.arrayContaining(names.map(pushFeedName)));
    for (const list of [listFeedTokens, listProducerTokens])
      expect((await list(db(), 1)).filter(({ revokedAt }) => revokedAt === null)).toHaveLength(22);
    for (const { id } of (await listFeedTokens(db(), 0)).slice(0, 3)) await markFeedTokenRevoked(db(), id);
    expect(await listFeedTokens(db(), 1)).toHaveLength(19 + 1);
  });
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
      const answer = await postAdminForm(form, {}, { name: "one", ...fields }, { cookie });
      expect(answer.headers.get("location")).toBe(page);
      expect(await takeFlash(cookie)).toMatchObject({ kind, name: "one", token: expect.any(String) });
      expect(await takeFlash(cookie)).toBeNull();
    },
  );
});

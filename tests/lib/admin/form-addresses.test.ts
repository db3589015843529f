import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as savePlan } from "@/app/admin/(area)/settings/plans/[name]/save/route";
import { type AdminFormHandler, postAdminForm, signInAdmin, takeFlash } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

const area = fileURLToPath(new URL("../../../app/admin/(area)", import.meta.url));

/** Folders of the form handlers whose address has a parameter. */
const FORMS = readdirSync(area, { recursive: true, withFileTypes: true })
  .filter(({ name, parentPath }) => name === "route.ts" && parentPath.includes("["))
  .map(({ parentPath }) => relative(area, parentPath));

const SITE = "https://signals.example.test";
const HOSTILE = [
  "\0",
  "\r\nSet-Cookie: a=b",
  "ü€",
  "../../x",
  "//elsewhere.example",
  "0x1",
  "1e999",
  "__proto__",
];

const plan = {
  title: "Signals",
  for_whom: "All",
  rank: "1",
  symbols: "",
  timeframes: "",
  rate_limit_per_min: "60",
  price_text: "",
  shop_url: "",
};

describe("a form with a parameter in its address", () => {
  it.each(FORMS)(
    "the administration form at %s answers hostile values in its address without a 5xx, and stays on this site",
    async (folder) => {
      const { POST } = await import(join(area, folder, "route.ts"));
      if (POST === undefined) return;
      const names = [...folder.matchAll(/\[(\w+)\]/g)].map(([, name = ""]) => name);
      for (const text of HOSTILE) {
        const params = Object.fromEntries(names.map((name) => [name, text]));
        const answer = await postAdminForm(POST as AdminFormHandler<typeof params>, params, {}, { cookie });
        expect(answer.status, text).toBeLessThan(500);
        const to = answer.headers.get("location");
        if (to !== null)
          expect(new URL(to, SITE).href.startsWith(`${SITE}/admin/`), `${text} to ${to}`).toBe(true);
        expect(answer.headers.getSetCookie(), text).toEqual([]);
      }
    },
  );

  it.each(HOSTILE)("a plan cannot be named %j", async (name) => {
    const answer = await postAdminForm(savePlan, { name }, plan, { cookie });
    if (name.includes("\0")) return expect(answer.status).toBe(404);
    expect(answer.status).toBe(303);
    expect(await takeFlash(cookie)).toMatchObject({ kind: "failed" });
  });

  it("the plan form names the field that contains a NUL", async () => {
    for (const field of Object.keys(plan)) {
      expect(
        (await postAdminForm(savePlan, { name: "pro" }, { ...plan, [field]: "a\0" }, { cookie })).status,
      ).toBe(303);
      expect(await takeFlash(cookie)).toMatchObject({ kind: "form", errors: { [field]: "must be text" } });
    }
  });
});

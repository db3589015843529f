import { expect, it, vi } from "vitest";
import { POST as delivery } from "@/app/portal/delivery/act/route";
import SecretPage from "@/app/portal/delivery/webhooks/[id]/secret/page";
import { db } from "@/db/client";
import { PAGE_REFRESH_HEADER } from "@/lib/api/page-address";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalForm, signInWithKey } from "@/tests/support/portal";

useDatabase();

const request = vi.hoisted(() => ({ cookie: "", headers: new Headers() }));
vi.mock("next/headers", () => ({
  headers: async () => request.headers,
  cookies: async () => ({
    get: (name: string) => {
      const found = request.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
      return found === undefined ? undefined : { value: found.slice(name.length + 1) };
    },
  }),
}));

it("a live refresh of a page does not consume a new webhook secret, which the page after the form shows once", async () => {
  const { key } = await makeKey({ plan_tier: "pro" });
  request.cookie = await signInWithKey(key, "192.0.2.80");
  const answer = await delivery.forms["create-webhook"](
    portalForm(
      "/portal/delivery/act?intent=create-webhook",
      { url: "https://hooks.example.com/in", "signal.created": "true" },
      { cookie: request.cookie },
    ),
  );
  const to = answer.headers.get("location") ?? "";
  const [, id = ""] = /\/portal\/delivery\/webhooks\/([0-9]+)\/secret$/.exec(to) ?? [];
  expect(to).toContain("/secret");

  request.headers = new Headers({ [PAGE_REFRESH_HEADER]: "1" });
  const { flashSession } = await requireSubscriber();
  expect(await consumeFlash(db(), flashSession)).toBeNull();

  request.headers = new Headers();
  const show = () => SecretPage({ params: Promise.resolve({ id }) });
  expect(JSON.stringify(await show())).toContain("whsec_");
  await expect(show()).rejects.toMatchObject({ digest: expect.stringContaining("NEXT_REDIRECT") });
});

import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { POST as accept } from "@/app/login/texts/accept/route";
import { db } from "@/db/client";
import { addTextVersion } from "@/db/queries/site";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalForm, signInWithKey } from "@/tests/support/portal";

useDatabase();

/** The page request that Next would provide. */
const request = vi.hoisted(() => ({ cookie: "", address: "/portal" }));
vi.mock("next/headers", () => ({
  cookies: async () => ({
    get: (wanted: string) => {
      const [name, value] = request.cookie.split("=");
      return name === wanted ? { name, value } : undefined;
    },
  }),
  headers: async () => new Headers({ "x-page-address": request.address }),
}));

/** The address to which a portal page redirects; null: the page is shown. */
async function sentTo(): Promise<string | null> {
  try {
    await requireSubscriber();
    return null;
  } catch (error) {
    const { digest = "" } = error as { digest?: string };
    if (!digest.startsWith("NEXT_REDIRECT")) throw error;
    return digest.split(";")[2] ?? "";
  }
}

async function write(name: "terms" | "risk" | "imprint", content: string): Promise<void> {
  await db().transaction((tx) => addTextVersion(tx, name, content));
  await settingsCache().readAgain();
}

const asked = () =>
  settingsCache()
    .now.texts.filter(({ isAsked }) => isAsked)
    .map(({ id }) => id)
    .join(",");

async function acceptAs(texts: string, next = "/portal/signals"): Promise<string | null> {
  const answer = await accept(portalForm("/login/texts/accept", { texts, next }, { cookie: request.cookie }));
  expect(answer.status).toBe(303);
  return answer.headers.get("location");
}

let key = "";
beforeAll(async () => {
  key = (await makeKey({ plan_tier: "pro" })).key;
  request.cookie = await signInWithKey(key);
});

describe("texts to accept at sign-in", () => {
  it("texts that are templates or informational need no acceptance", async () => {
    expect(await sentTo()).toBeNull();
    await write("imprint", "Example Street 1");
    expect(await sentTo()).toBeNull();
  });

  it("a text to accept stops the portal, but not the API, until it is accepted once", async () => {
    await write("terms", "One");
    request.address = "/portal/signals?symbol=EURUSD";
    expect(await sentTo()).toBe("/login/texts?next=%2Fportal%2Fsignals%3Fsymbol%3DEURUSD");
    expect((await call("GET", "/api/scan", { key })).status).toBe(200);
    expect(await acceptAs(asked())).toBe("/portal/signals");
    expect(await sentTo()).toBeNull();
    const audit = await db().execute<{ actor: string; target: string; subscription_id: number }>(
      sql`select actor, target, subscription_id from admin_audit where action = 'text.accept'`,
    );
    expect(audit).toHaveLength(1);
    expect(audit[0]).toMatchObject({ target: "text/terms/1" });
    expect(audit[0]?.actor).toBe(`subscriber/${audit[0]?.subscription_id}`);
  });

  it("a changed text must be accepted again, and only in the version that was shown", async () => {
    const before = asked();
    await write("terms", "Two");
    expect(await sentTo()).toContain("/login/texts");
    expect(await acceptAs(before)).toBe("/login/texts?next=%2Fportal%2Fsignals&error=changed");
    expect(await acceptAs("1,x")).toContain("error=changed");
    expect(await sentTo()).toContain("/login/texts");
    await write("risk", "You can lose.");
    expect(asked().split(",")).toHaveLength(2);
    expect(await acceptAs(asked(), "https://elsewhere.example")).toBe("/portal");
    expect(await sentTo()).toBeNull();
  });

  it("texts can be accepted only in a session", async () => {
    const { cookie } = request;
    request.cookie = "";
    expect(await sentTo()).toContain("/login?next=");
    expect(await acceptAs(asked())).toBe("/login");
    request.cookie = cookie;
  });
});

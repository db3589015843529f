import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { POST as subscriber } from "@/app/admin/(area)/subscribers/[id]/act/route";
import { POST as signOut } from "@/app/admin/sign-out/route";
import { GET as live } from "@/app/portal/live/route";
import { db } from "@/db/client";
import { listPortalViewsByOperator } from "@/db/queries/portal-views";
import type { Subscriber } from "@/lib/auth/find-subscriber";
import { consumeFlash, storeFlash } from "@/lib/auth/flash";
import { findPortalVisitor } from "@/lib/auth/portal-view";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { sha256 } from "@/lib/runtime/secrets";
import {
  type AdminFormHandler,
  formRequest,
  postAdminForm,
  signInAdmin,
} from "@/tests/support/admin-browser";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalForm, portalRequest, signInWithKey } from "@/tests/support/portal";

useDatabase();

const { view, "end-view": end } = subscriber.forms;

const PORTAL = fileURLToPath(new URL("../../../app/portal", import.meta.url));

interface Made {
  key: string;
  subscriptionId: number;
}

let made: Made;
let admin: string;

beforeEach(async () => {
  const { key, keyId } = await makeKey({
    email: `vera-${randomUUID()}@example.test`,
  });
  const [row] = await db().execute<{ id: number }>(
    sql`select subscription_id as id from api_keys where id = ${keyId}`,
  );
  made = { key, subscriptionId: row?.id ?? 0 };
  admin = await signInAdmin();
});

const cookieIn = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";
const open = (cookie: string, id = made.subscriptionId) =>
  postAdminForm(view, { id: String(id) }, {}, { cookie });
const reader = (cookie: string) => findPortalVisitor(cookiesOf(new Headers({ cookie })));
const seen = async (cookie: string): Promise<Subscriber> => {
  const found = await reader(cookie);
  if (found.kind !== "subscriber") throw new Error(found.kind);
  return found.subscriber;
};

/** Turns the session of a cookie into that of a named person with this role. Returns their id. */
async function personWith(role: string, cookie: string): Promise<number> {
  const email = `${randomUUID()}@people.example`;
  const [row] = await db().execute<{ id: number }>(sql`
    with person as (
      insert into administrators (name, email, email_normalized, role, totp_secret_encrypted, accepted_at)
      values ('A person', ${email}, ${email}, ${role}, 'none', now()) returning id)
    update sessions set administrator_id = person.id from person
     where token_hash = ${sha256(cookie.slice(cookie.indexOf("=") + 1))} returning person.id`);
  return row?.id ?? 0;
}

describe("a view of a subscriber's portal", () => {
  it("a view shows the subscriber's portal to the administrator, with a separate opaque cookie", async () => {
    const answer = await open(admin);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/portal"]);
    const set = answer.headers.get("set-cookie") ?? "";
    for (const part of ["Path=/portal", "HttpOnly", "SameSite=Strict", "Secure", "Max-Age=1800"])
      expect(set).toContain(part);
    const subscriber = await seen(cookieIn(answer));
    expect(subscriber).toMatchObject({ subscriptionId: made.subscriptionId, isFresh: false });
    const left = (subscriber.viewedUntil?.getTime() ?? 0) - Date.now();
    expect(left).toBeGreaterThan(25 * 60_000);
    expect(left).toBeLessThanOrEqual(31 * 60_000);
    const [row] = await db().execute<{ token_hash: string }>(
      sql`select token_hash from sessions where role = 'view' and subscription_id = ${made.subscriptionId}`,
    );
    expect(set).not.toContain(row?.token_hash ?? "?");
  });

  it("a view refuses every form and file of the portal, and changes nothing", async () => {
    const cookie = cookieIn(await open(admin));
    const files = readdirSync(PORTAL, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("route.ts"),
    );
    const params = { params: Promise.resolve({ id: "1" }) };
    const refused: string[] = [];
    for (const path of files.filter((file) => file !== join("live", "route.ts"))) {
      const { GET, POST } = await import(join(PORTAL, path));
      const request = () =>
        POST
          ? portalForm("/portal/x", { typed_word: "ROTATE", days: "30" }, { cookie })
          : portalRequest("/portal/x", cookie);
      const handlers = POST?.forms ?? { [POST ? "POST" : "GET"]: POST ?? GET };
      for (const [name, handler] of Object.entries<AdminFormHandler<{ id: string }>>(handlers)) {
        const answer: Response = await handler(request(), params);
        expect([path, name, answer.status]).toEqual([path, name, 403]);
        expect(await answer.text()).toContain("Nothing was changed");
        refused.push(`${path} ${name}`);
      }
    }
    expect(refused.length).toBeGreaterThan(18);
    expect((await call("GET", "/api/account/me", { key: made.key })).status).toBe(200);
  });

  it("a view receives live updates and leaves one-time messages unread", async () => {
    const cookie = cookieIn(await open(admin));
    expect((await live(portalRequest("/portal/live?once", cookie))).status).toBe(200);
    const own = await signInWithKey(made.key);
    const { sessionId } = await seen(own);
    await storeFlash(db(), sessionId, { kind: "own-key", apiKey: made.key, rotatedAt: "now" });
    expect(await consumeFlash(db(), (await seen(cookie)).sessionId)).toBeNull();
    expect(await consumeFlash(db(), sessionId)).toMatchObject({ kind: "own-key" });
  });

  it("a view takes precedence over the administrator's own portal session, and keeps it", async () => {
    const { key } = await makeKey({});
    const own = await signInWithKey(key);
    const both = `${own}; ${cookieIn(await open(admin))}`;
    expect((await seen(both)).subscriptionId).toBe(made.subscriptionId);
    await postAdminForm(end, { id: String(made.subscriptionId) }, {}, { cookie: admin });
    const after = await seen(both);
    expect(after.subscriptionId).not.toBe(made.subscriptionId);
    expect(after.viewedUntil).toBeNull();
  });

  it("a view is audited from start to end with the administrator's name, and shown to the subscriber", async () => {
    const administrator = await personWith("support", admin);
    await open(admin);
    expect(await listPortalViewsByOperator(db(), made.subscriptionId, 20)).toMatchObject([{ endedAt: null }]);
    const answer = await postAdminForm(end, { id: String(made.subscriptionId) }, {}, { cookie: admin });
    expect(answer.headers.get("location")).toBe(`/admin/subscribers/${made.subscriptionId}`);
    expect(answer.headers.get("set-cookie")).toMatch(/^portal_view=; Path=\/portal; Max-Age=0/);
    const rows = await db().execute<{ action: string; actor: string; target: string }>(sql`
      select action, actor, target from admin_audit
       where subscription_id = ${made.subscriptionId} and action like 'portal.%' order by id`);
    const entry = { actor: `administrator/${administrator}`, target: `subscription/${made.subscriptionId}` };
    expect([...rows]).toEqual([
      { action: "portal.view", ...entry },
      { action: "portal.view_end", ...entry },
    ]);
    const [look] = await listPortalViewsByOperator(db(), made.subscriptionId, 20);
    expect(look?.endedAt).toBeInstanceOf(Date);
    const { key } = await makeKey({});
    const other = await seen(await signInWithKey(key));
    expect(await listPortalViewsByOperator(db(), other.subscriptionId, 20)).toEqual([]);
  });

  it("a view ends when its administrator starts the next one", async () => {
    const second = await makeKey({});
    const [row] = await db().execute<{ id: number }>(
      sql`select subscription_id as id from api_keys where id = ${second.keyId}`,
    );
    const first = cookieIn(await open(admin));
    const [one, two] = await Promise.all([open(admin, row?.id), open(admin, row?.id)]);
    expect([one?.status, two?.status]).toEqual([303, 303]);
    expect((await reader(first)).kind).toBe("signed-out");
    const states = await Promise.all(
      [one, two].map(async (answer) => (await reader(cookieIn(answer!))).kind),
    );
    expect(states.toSorted()).toEqual(["signed-out", "subscriber"]);
  });

  it.each([
    [
      "its half hour is over",
      "update sessions set expires_at = now() where role = 'view' and ended_at is null",
    ],
    ["no key is in force any more", "update api_keys set suspended_at = now()"],
  ])("a view ends when %s", async (_, change) => {
    const cookie = cookieIn(await open(admin));
    expect((await reader(cookie)).kind).toBe("subscriber");
    await db().execute(change);
    expect((await reader(cookie)).kind).toBe("signed-out");
  });

  it("a view ends when its administrator signs out, is removed, or becomes a reader", async () => {
    const cookie = cookieIn(await open(admin));
    await signOut(formRequest("/admin/sign-out", {}, { cookie: admin }));
    expect((await reader(cookie)).kind).toBe("signed-out");

    for (const change of ["removed_at = now()", "role = 'reader'"]) {
      const session = await signInAdmin();
      const administrator = await personWith("owner", session);
      const theirs = cookieIn(await open(session));
      expect((await reader(theirs)).kind).toBe("subscriber");
      await db().execute(`update administrators set ${change} where id = ${administrator}`);
      expect((await reader(theirs)).kind).toBe("signed-out");
    }
  });

  it("a view is refused for a reader, from another site, and for subscribers without a portal", async () => {
    const session = await signInAdmin();
    await personWith("reader", session);
    expect((await open(session)).headers.get("location")).toContain("reason=role");
    const foreign = { cookie: admin, headers: { "Sec-Fetch-Site": "cross-site" } };
    expect((await postAdminForm(view, { id: String(made.subscriptionId) }, {}, foreign)).status).toBe(403);
    for (const id of [0, 999_999]) {
      const answer = await open(admin, id);
      expect([answer.headers.get("location"), answer.headers.get("set-cookie")]).toEqual([
        `/admin/subscribers/${id}`,
        null,
      ]);
    }
    const [{ n } = { n: -1 }] = await db().execute<{ n: number }>(sql`
      select count(*)::int as n from admin_audit where action = 'portal.view' and subscription_id = ${made.subscriptionId}`);
    expect(n).toBe(0);
  });

  it("a view is refused with an invented token and with the token of an administrator's or a subscriber's session", async () => {
    const own = await signInWithKey(made.key);
    const token = admin.slice(admin.indexOf("=") + 1);
    for (const forged of [randomUUID(), token, own.slice(own.indexOf("=") + 1)])
      expect((await reader(`portal_view=${forged}`)).kind).toBe("signed-out");
  });
});

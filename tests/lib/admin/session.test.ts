import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { POST as operationForms } from "@/app/admin/(area)/status/act/route";
import { POST as enter } from "@/app/admin/sign-in/enter/route";
import { POST as leave } from "@/app/admin/sign-out/route";
import { db } from "@/db/client";
import { isAttemptLimitReached } from "@/lib/access/limits/attempt-limits";
import { authenticateAdminSession } from "@/lib/auth/admin-session";
import { env } from "@/lib/runtime/env";
import { MINUTE_MS } from "@/lib/time";
import { formRequest, postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { call } from "@/tests/support/api";
import { ADMIN_SECRET, useDatabase } from "@/tests/support/database";

const { announce, withdraw } = operationForms.forms;

useDatabase();

const tokenOf = (cookie: string) => cookie.split("=")[1] ?? "";
const announcement = { starts_at: "2099-01-01T00:00", ends_at: "2099-01-01T01:00", message: "Upgrade" };
let lastAddress = 10;
/** Failures are counted by address, so each test has its own. */
let address = "";

beforeEach(() => {
  address = `203.0.113.${lastAddress++}`;
});

const auditOf = (action: string) =>
  db().execute<{ actor: string; address: string | null; target: string }>(
    sql`select actor, address, target from admin_audit where action = ${action} order by id`,
  );

describe("administrator sign-in", () => {
  it("the right secret opens a session, whose cookie holds a random token for /admin only", async () => {
    const answer = await enter(
      formRequest("/admin/sign-in/enter", { secret: ADMIN_SECRET, next: "/admin/mail" }, { address }),
    );
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/admin/mail");
    const cookie = answer.headers.get("set-cookie") ?? "";
    for (const part of ["Path=/admin", "HttpOnly", "SameSite=Strict", "Secure"])
      expect(cookie).toContain(part);
    expect(cookie).not.toContain(ADMIN_SECRET);
    const [row] = await db().execute<{ token_hash: string; role: string }>(
      sql`select token_hash, role from sessions where address = ${address}`,
    );
    expect(row?.role).toBe("admin");
    expect(cookie, "the table holds a hash, not what the browser sends").not.toContain(
      row?.token_hash ?? "?",
    );
    const audit = (await auditOf("admin.sign_in")).filter((entry) => entry.address === address);
    expect(audit).toHaveLength(1);
    expect(audit[0]?.actor).toMatch(/^admin-session\//);
  });

  it.each(["https://evil.test/", "//evil.test", "/portal", "/administrator", "/admin\\..\\evil"])(
    "the sign-in never redirects to %s",
    async (next) => {
      const answer = await enter(
        formRequest("/admin/sign-in/enter", { secret: ADMIN_SECRET, next }, { address }),
      );
      expect(answer.headers.get("location")).toBe("/admin");
    },
  );

  it("the sign-in refuses a wrong secret and keeps it out of the log", async () => {
    const wrong = "wrong-secret-that-must-not-be-logged";
    const answer = await enter(formRequest("/admin/sign-in/enter", { secret: wrong }, { address }));
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.headers.get("location")).toContain("reason=wrong");
    const log = readFileSync(process.env.LOG_FILE ?? "", "utf8");
    expect(log).toContain("a sign-in of the administrator was refused");
    expect(log).not.toContain(wrong);
    expect(log).not.toContain(ADMIN_SECRET);
  });

  it("the sign-in shares its failure count with the X-Admin-Secret header: after ten failures even the right secret waits", async () => {
    for (let i = 0; i < 5; i++)
      await enter(formRequest("/admin/sign-in/enter", { secret: "wrong" }, { address }));
    for (let i = 0; i < 5; i++)
      await call("GET", "/admin/keys", { admin: "wrong", headers: { "x-client-address": address } });
    const page = await enter(formRequest("/admin/sign-in/enter", { secret: ADMIN_SECRET }, { address }));
    expect(page.headers.get("location")).toContain("reason=wait");
    expect(page.headers.get("set-cookie")).toBeNull();
    const header = await call("GET", "/admin/keys", {
      admin: true,
      headers: { "x-client-address": address },
    });
    expect(header.status).toBe(429);
    expect(await isAttemptLimitReached(`admin-failure:${address}`, { limit: 10, windowMs: MINUTE_MS })).toBe(
      true,
    );
  });

  it("wrong administrator secrets from many IP addresses share one limit, and the right one is still accepted", async () => {
    const limit = env().adminFailuresPerMin;
    env().adminFailuresPerMin = 30;
    const guess = (i: number) =>
      call("GET", "/admin/keys", { admin: `wrong-${i}`, headers: { "x-client-address": `100.64.0.${i}` } });
    const codes: string[] = [];
    for (let i = 0; i < 40; i++) codes.push((await guess(i)).json.code);
    env().adminFailuresPerMin = limit;
    // Failures of earlier tests count too.
    expect(codes.filter((code) => code === "admin_secret_invalid").length).toBeLessThanOrEqual(30);
    expect(codes.slice(30)).toEqual(Array(10).fill("rate_limited"));
    const right = await call("GET", "/admin/keys", {
      admin: true,
      headers: { "x-client-address": "100.64.0.1" },
    });
    expect(right.status).toBe(200);
    const log = readFileSync(process.env.LOG_FILE ?? "", "utf8");
    expect(log.split("wrong administrator secrets come from many addresses")).toHaveLength(2);
  });

  it("sign-in and sign-out report that the service cannot answer while the database is down", async () => {
    const cookie = await signInAdmin(undefined, address);
    await db().execute(sql`alter table sessions rename to sessions_away`);
    try {
      for (const answer of [
        await enter(formRequest("/admin/sign-in/enter", { secret: ADMIN_SECRET }, { address })),
        await leave(formRequest("/admin/sign-out", {}, { cookie, address })),
      ]) {
        expect(answer.status).toBe(503);
        expect(await answer.text()).toContain("is unavailable right now");
        expect(answer.headers.get("x-request-id")).toMatch(/^[\w-]{16}$/);
      }
    } finally {
      await db().execute(sql`alter table sessions_away rename to sessions`);
    }
  });

  it("the sign-in refuses another site's form", async () => {
    const answer = await enter(
      formRequest(
        "/admin/sign-in/enter",
        { secret: ADMIN_SECRET },
        { address, headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.test" } },
      ),
    );
    expect(answer.status).toBe(403);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("an administrator session", () => {
  it("a session is extended by use and ends after thirty idle minutes", async () => {
    const cookie = await signInAdmin(undefined, address);
    const moveBack = (minutes: number) =>
      db().execute(
        sql`update sessions set last_used_at = now() - make_interval(mins => ${minutes}) where address = ${address}`,
      );
    await moveBack(29);
    expect(await authenticateAdminSession(tokenOf(cookie)), "used within the half hour").not.toBeNull();
    await moveBack(29);
    expect(await authenticateAdminSession(tokenOf(cookie)), "each look moves it on").not.toBeNull();
    await moveBack(30);
    expect(await authenticateAdminSession(tokenOf(cookie))).toBeNull();
  });

  it("a session ends after twelve hours despite use", async () => {
    const cookie = await signInAdmin(undefined, address);
    const [row] = await db().execute<{ hours: number }>(sql`
      select extract(epoch from expires_at - created_at) / 3600 as hours from sessions where address = ${address}`);
    expect(Number(row?.hours)).toBeCloseTo(12, 3);
    await db().execute(sql`update sessions set expires_at = now() where address = ${address}`);
    expect(await authenticateAdminSession(tokenOf(cookie))).toBeNull();
  });

  it("a session ends at once at sign-out, which is audited", async () => {
    const cookie = await signInAdmin(undefined, address);
    const answer = await leave(formRequest("/admin/sign-out", {}, { cookie, address }));
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
    expect(await authenticateAdminSession(tokenOf(cookie))).toBeNull();
    expect((await auditOf("admin.sign_out")).filter((entry) => entry.address === address)).toHaveLength(1);
  });

  it("a subscriber's session opens no administrator session", async () => {
    await db().execute(sql`
      insert into sessions (role, token_hash, expires_at)
      values ('subscriber', encode(sha256('a-subscriber-token'), 'hex'), now() + interval '1 day')`);
    expect(await authenticateAdminSession("a-subscriber-token")).toBeNull();
  });
});

describe("an administration form", () => {
  const count = async () => {
    const [row] = await db().execute<{ n: number }>(sql`select count(*)::int as n from maintenances`);
    return row?.n ?? 0;
  };

  it("a form changes nothing without a session and redirects to sign-in", async () => {
    const before = await count();
    const answer = await postAdminForm(announce, {}, announcement, { address });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toMatch(/^\/admin\/sign-in\?/);
    expect(answer.headers.get("location")).toContain("reason=ended");
    expect(await count()).toBe(before);
  });

  it.each<[string, Record<string, string>]>([
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["a sibling host", { "Sec-Fetch-Site": "same-site" }],
    ["no site (Sec-Fetch-Site: none)", { "Sec-Fetch-Site": "none" }],
  ])("a form changes nothing when posted by %s, even with the session cookie", async (_, headers) => {
    const cookie = await signInAdmin(undefined, address);
    const before = await count();
    const answer = await postAdminForm(announce, {}, announcement, { cookie, address, headers });
    expect(answer.status).toBe(403);
    expect(await count()).toBe(before);
  });

  it("a form is checked by its origin when the browser sends no Sec-Fetch-Site", async () => {
    const cookie = await signInAdmin(undefined, address);
    const send = (origin: string | null) => {
      const request = formRequest("/admin/status/act?intent=announce", announcement, { cookie, address });
      request.headers.delete("Sec-Fetch-Site");
      if (origin === null) request.headers.delete("Origin");
      else request.headers.set("Origin", origin);
      return announce(request, { params: Promise.resolve({}) });
    };
    expect((await send("https://evil.test")).status).toBe(403);
    expect((await send("null")).status).toBe(403);
    expect((await send(null)).status).toBe(403);
    expect((await send("https://signals.example.test")).headers.get("location")).toBe("/admin/status");
  });

  it("a form is audited with who, what, when and from where", async () => {
    const cookie = await signInAdmin(undefined, address);
    const announced = await postAdminForm(announce, {}, announcement, { cookie, address });
    expect(announced.headers.get("location")).toBe("/admin/status");
    const [made] = await db().execute<{ id: number }>(sql`select max(id) as id from maintenances`);
    await postAdminForm(withdraw, {}, { id: String(made?.id) }, { cookie, address });
    const [row] = await db().execute<{
      actor: string;
      action: string;
      target: string;
      address: string;
      request_id: string;
      fresh: boolean;
    }>(sql`
      select actor, action, target, address, request_id, at > now() - interval '1 minute' as fresh
        from admin_audit order by id desc limit 1`);
    expect(row).toMatchObject({
      action: "maintenance.withdraw",
      target: `maintenance/${made?.id}`,
      address,
      fresh: true,
    });
    expect(row?.actor).toMatch(/^admin-session\/[0-9a-f-]{36}$/);
    expect(row?.request_id).not.toBe("");
  });

  it("a form with invalid fields is shown again once with the input, and changes nothing", async () => {
    const { consumeFlash } = await import("@/lib/auth/flash");
    const cookie = await signInAdmin(undefined, address);
    const before = await count();
    await postAdminForm(announce, {}, { ...announcement, ends_at: "2098-01-01T00:00" }, { cookie, address });
    const session = await authenticateAdminSession(tokenOf(cookie));
    const flash = await consumeFlash(db(), session!.sessionId);
    expect(flash).toMatchObject({
      kind: "form",
      form: "maintenance.announce",
      errors: { ends_at: "must be after the start" },
      values: { message: "Upgrade" },
    });
    expect(await consumeFlash(db(), session!.sessionId), "shown once").toBeNull();
    expect(await count()).toBe(before);
  });
});

import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { POST as signInByKey } from "@/app/login/by-key/route";
import { POST as signInByLink } from "@/app/login/by-link/route";
import { POST as requestLink } from "@/app/login/request-link/route";
import { POST as signOut } from "@/app/login/sign-out/route";
import { GET as live } from "@/app/portal/live/route";
import { POST as settings } from "@/app/portal/settings/act/route";
import { db } from "@/db/client";
import { findSubscriber } from "@/lib/auth/find-subscriber";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { env } from "@/lib/runtime/env";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import {
  portalForm,
  portalRequest,
  readLog,
  requestSignInToken,
  sessionCookieOf,
  signInWithKey,
  signInWithLink,
} from "@/tests/support/portal";

const { "sign-out-everywhere": signOutEverywhere } = settings.forms;

const OWNER_KEY = "11111111-2222-4333-8444-555555555555";
useDatabase({ OWNER_API_KEY: OWNER_KEY });

const stateOf = async (cookie: string) => (await findSubscriber(cookiesOf(new Headers({ cookie })))).kind;
const location = (response: Response) => response.headers.get("location");

describe("a sign-in link", () => {
  it("a sign-in link works once for the address it was sent to", async () => {
    await makeKey({ email: "Ada@Example.test" });
    const token = await requestSignInToken(" ada@example.TEST ");
    expect(token).toMatch(/^[\w-]{43}$/);

    const first = await signInByLink(portalForm("/login/by-link", { token: token ?? "" }));
    const second = await signInByLink(portalForm("/login/by-link", { token: token ?? "" }));

    expect([first.status, location(first)]).toEqual([303, "/portal"]);
    expect(await stateOf(sessionCookieOf(first) ?? "")).toBe("subscriber");
    expect(location(second)).toBe("/login?error=link_invalid");
    expect(sessionCookieOf(second)).toBeNull();
  });

  it("a sign-in mail and its form lead to the requested page, and not to an address of another site", async () => {
    await makeKey({ email: "wanted@example.test" });
    const wanted = "/portal/executions?symbol=EURUSD";
    const ask = (next: string) =>
      requestLink(
        portalForm("/login/request-link", { email: "wanted@example.test", next }, { address: "192.0.2.3" }),
      );
    expect(location(await ask(wanted))).toBe("/login/sent?next=%2Fportal%2Fexecutions%3Fsymbol%3DEURUSD");
    expect(location(await ask("https://evil.test/portal"))).toBe("/login/sent");
    const mails = await db().execute<{ props: { next?: string } }>(
      sql`select props from mail_outbox where recipient = 'wanted@example.test' and kind = 'sign-in' order by id`,
    );
    expect(mails.map(({ props }) => props.next)).toEqual([wanted, undefined]);

    const press = async (next: string) => {
      const token = (await requestSignInToken("wanted@example.test", "192.0.2.3")) ?? "";
      return location(await signInByLink(portalForm("/login/by-link", { token, next })));
    };
    expect(await press(wanted)).toBe(wanted);
    const refused = await signInByLink(portalForm("/login/by-link", { token: "made-up", next: wanted }));
    expect(location(refused)).toBe("/login?next=%2Fportal%2Fexecutions%3Fsymbol%3DEURUSD&error=link_invalid");
    const foreign = await signInByLink(
      portalForm("/login/by-link", { token: "made-up", next: "//evil.test" }),
    );
    expect(location(foreign)).toBe("/login?error=link_invalid");
  });

  it("a sign-in link signs in one of two concurrent clicks", async () => {
    await makeKey({ email: "twice@example.test" });
    const token = (await requestSignInToken("twice@example.test")) ?? "";
    const both = await Promise.all([1, 2].map(() => signInByLink(portalForm("/login/by-link", { token }))));
    expect(both.filter((answer) => sessionCookieOf(answer) !== null)).toHaveLength(1);
  });

  it("a sign-in link is refused after ten minutes, and when invented", async () => {
    await makeKey({ email: "late@example.test" });
    const token = (await requestSignInToken("late@example.test")) ?? "";
    await db().execute(
      sql`update sign_in_tokens set expires_at = now() where email_normalized = 'late@example.test'`,
    );
    for (const tried of [token, "made-up", ""]) {
      const answer = await signInByLink(
        portalForm("/login/by-link", { token: tried }, { address: "192.0.2.7" }),
      );
      expect(location(answer)).toBe("/login?error=link_invalid");
    }
  });

  it("a request for a sign-in link gets the same answer after the same time for a known and an unknown e-mail address", async () => {
    await makeKey({ email: "known@example.test" });
    const timed = async (email: string) => {
      const startedAt = performance.now();
      const answer = await requestLink(
        portalForm("/login/request-link", { email }, { address: "192.0.2.8" }),
      );
      return { answer: [answer.status, location(answer)], ms: performance.now() - startedAt };
    };
    const fastest = async (email: string) => {
      const tries = [await timed(email), await timed(email), await timed(email)];
      return { answers: tries.map(({ answer }) => answer), ms: Math.min(...tries.map(({ ms }) => ms)) };
    };
    const known = await fastest("known@example.test");
    const unknown = await fastest("nobody@example.test");
    expect(unknown.answers).toEqual(known.answers);
    // Both have a fixed duration; the fastest of three contains little noise of the machine.
    expect(Math.min(known.ms, unknown.ms)).toBeGreaterThanOrEqual(299);
    expect(Math.abs(known.ms - unknown.ms)).toBeLessThan(150);
    expect(await requestSignInToken("nobody@example.test", "192.0.2.8")).toBeNull();
  });

  /** Moves all earlier requests this many minutes into the past. */
  const goBack = (email: string, minutes: number) =>
    db().execute(sql`
      update sign_in_tokens set created_at = created_at - make_interval(mins => ${minutes}),
             expires_at = expires_at - make_interval(mins => ${minutes})
       where email_normalized = ${email}`);

  // Each request has the fixed duration of every answer.
  it.concurrent("a valid sign-in link is mailed unchanged at each request, at most three times in all", async () => {
    const email = "again@example.test";
    await makeKey({ email });
    const first = await requestSignInToken(email, "198.51.100.1");
    await goBack(email, 4);
    const second = await requestSignInToken(email, "198.51.100.2");
    const third = await requestSignInToken(email, "198.51.100.3");
    expect([second, third]).toEqual([first, first]);
    const [mail] = await db().execute<{ props: object }>(
      sql`select props from mail_outbox where recipient = ${email} order by id desc limit 1`,
    );
    expect(mail?.props).toMatchObject({ expiresMinutes: 5 });
    expect(await requestSignInToken(email, "198.51.100.4"), "the mailbox holds it thrice").toBeNull();
    expect(
      sessionCookieOf(await signInByLink(portalForm("/login/by-link", { token: first ?? "" }))),
    ).not.toBeNull();
    const [kept] = await db().execute(
      sql`select 1 from sign_in_tokens where email_normalized = ${email} and token_encrypted is not null`,
    );
    expect(kept, "what was used up is not kept").toBeUndefined();
    const next = await requestSignInToken(email, "198.51.100.4");
    expect(next).not.toBeNull();
    expect(next).not.toBe(first);
    await goBack(email, 8);
    expect(await requestSignInToken(email, "198.51.100.4"), "hardly valid any more").not.toBe(next);
  });

  it.concurrent("a sign-in link reaches the subscriber after a stranger used up all requests of another network", async () => {
    const email = "target@example.test";
    await makeKey({ email });
    // The maximum for one network in an hour.
    const stranger = [];
    for (let i = 0; i < 9; i++) {
      stranger.push(await requestSignInToken(email, "198.51.100.66"));
      if (i % 3 === 2) await goBack(email, 8);
    }
    expect(new Set(stranger.filter((token) => token !== null)).size).toBe(3);
    expect(await requestSignInToken(email, "198.51.100.66"), "the stranger's own limit").toBeNull();
    const token = await requestSignInToken(email, "192.0.2.77");
    const answer = await signInByLink(portalForm("/login/by-link", { token: token ?? "" }));
    expect(location(answer)).toBe("/portal");
  });

  it.concurrent("a network gets three new sign-in links an hour for one e-mail address, and ten requests for different ones", async () => {
    const email = "often@example.test";
    await makeKey({ email });
    const tokens = [];
    for (let i = 0; i < 4; i++) {
      tokens.push(await requestSignInToken(email, "198.51.100.50"));
      await goBack(email, 8);
    }
    expect(tokens.map((token) => token !== null)).toEqual([true, true, true, false]);
    await goBack(email, 30);
    expect(await requestSignInToken(email, "198.51.100.50"), "an hour after the first").not.toBeNull();

    const answers = [];
    for (let i = 0; i < 11; i++)
      answers.push(
        location(
          await requestLink(
            portalForm("/login/request-link", { email: `v${i}@example.test` }, { address: "198.51.100.99" }),
          ),
        ),
      );
    expect(answers.filter((to) => to === "/login/sent")).toHaveLength(10);
    expect(answers[10]).toBe("/login?error=too_many_links");
  });
});

describe("an API key at sign-in", () => {
  it("an API key signs in its holder, and an unknown key is refused", async () => {
    const { key } = await makeKey();
    const right = await signInByKey(portalForm("/login/by-key", { api_key: ` ${key.toUpperCase()} ` }));
    const wrong = await signInByKey(portalForm("/login/by-key", { api_key: crypto.randomUUID() }));
    expect(await stateOf(sessionCookieOf(right) ?? "")).toBe("subscriber");
    expect([location(wrong), sessionCookieOf(wrong)]).toEqual(["/login?error=key_invalid", null]);
  });

  it("an IP address has twenty wrong keys a minute; a right key and a valid link still pass", async () => {
    const { key } = await makeKey({ email: "office@example.test" });
    const token = (await requestSignInToken("office@example.test", "203.0.113.5")) ?? "";
    const attempt = async (apiKey: string) =>
      location(
        await signInByKey(portalForm("/login/by-key", { api_key: apiKey }, { address: "203.0.113.5" })),
      );
    for (let i = 0; i < 20; i++) expect(await attempt(crypto.randomUUID())).toBe("/login?error=key_invalid");
    for (let i = 0; i < 20; i++)
      expect(await attempt(crypto.randomUUID())).toBe("/login?error=too_many_attempts");
    expect(await attempt(key)).toBe("/portal");
    const press = async (tried: string) =>
      location(
        await signInByLink(portalForm("/login/by-link", { token: tried }, { address: "203.0.113.5" })),
      );
    expect(await press("made-up")).toBe("/login?error=too_many_attempts");
    expect(await press(token)).toBe("/portal");
    expect(await attempt(crypto.randomUUID()), "what is right does not take the count back").toBe(
      "/login?error=too_many_attempts",
    );
  });

  it("wrong keys are counted per IPv6 network, across its addresses, the sign-in form and the API", async () => {
    const address = (i: number) => `2001:db8:0:7::${i.toString(16)}`;
    for (let i = 0; i < 10; i++) {
      await signInByKey(
        portalForm("/login/by-key", { api_key: crypto.randomUUID() }, { address: address(i) }),
      );
      await call("GET", "/api/scan", {
        key: crypto.randomUUID(),
        headers: { "x-client-address": address(100 + i) },
      });
    }
    const { key } = await makeKey();
    const attempt = async (apiKey: string, from: string) =>
      location(await signInByKey(portalForm("/login/by-key", { api_key: apiKey }, { address: from })));
    const wrong = crypto.randomUUID();
    expect(await attempt(wrong, address(200))).toBe("/login?error=too_many_attempts");
    expect(await attempt(wrong, "2001:db8:0:8::1"), "the neighbouring network").toBe(
      "/login?error=key_invalid",
    );
    expect(await attempt(key, address(200))).toBe("/portal");
  });

  it("a sign-in in the same browser ends the session of the owner's key", async () => {
    const former = await signInWithKey(OWNER_KEY, "203.0.113.7");
    const { key } = await makeKey();
    const options = { cookie: former, address: "203.0.113.7" };
    const answer = await signInByKey(portalForm("/login/by-key", { api_key: key }, options));
    expect(await stateOf(sessionCookieOf(answer) ?? "")).toBe("subscriber");
    expect(await stateOf(former)).toBe("signed-out");
  });

  it("the owner's key opens a session that lasts only while this key is configured", async () => {
    const cookie = await signInWithKey(OWNER_KEY, "203.0.113.6");
    const found = await findSubscriber(cookiesOf(new Headers({ cookie })));
    expect(found.kind === "subscriber" && found.subscriber).toMatchObject({
      planTier: "owner",
      isOwnerEnv: true,
    });
    env().ownerApiKey = crypto.randomUUID();
    expect(await stateOf(cookie)).not.toBe("subscriber");
    env().ownerApiKey = OWNER_KEY;
  });
});

describe("the portal session", () => {
  it("the portal session uses an HttpOnly, Secure cookie", async () => {
    const { key } = await makeKey();
    const answer = await signInByKey(portalForm("/login/by-key", { api_key: key }));
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/Secure/);
    expect(cookie).toMatch(/SameSite=Lax/);
  });

  it("the portal session is stored as a hash only, and the key that opened it is not logged", async () => {
    const { key } = await makeKey();
    const cookie = await signInWithKey(key);
    const dump = await db().execute(sql`select * from sessions`);
    expect(JSON.stringify(dump)).not.toContain(cookie.slice(-40));
    expect(readLog()).not.toContain(key);
  });

  it.each([
    ["revoked", (keyId: number) => call("DELETE", `/admin/keys/${keyId}`, { admin: true })],
    [
      "expired",
      (keyId: number) => db().execute(sql`update api_keys set expires_at = now() where id = ${keyId}`),
    ],
  ])(
    "a portal session opened by key or by link ends at the next request once the key is %s",
    async (_, end) => {
      const email = `end-${crypto.randomUUID()}@example.test`;
      const { keyId, key } = await makeKey({ email });
      const cookies = [await signInWithKey(key), await signInWithLink(email, `10.0.0.${keyId}`)];
      expect(await Promise.all(cookies.map(stateOf))).toEqual(["subscriber", "subscriber"]);
      await end(keyId);
      expect(await Promise.all(cookies.map(stateOf))).toEqual(["no-access", "no-access"]);
      for (const cookie of cookies)
        expect(location(await live(portalRequest("/portal/live", cookie)))).toBe("/login/subscriptions");
    },
  );

  it("a session opened by a key ends when the key is rotated by API; one opened by link continues", async () => {
    const email = "rotating@example.test";
    const { key } = await makeKey({ email });
    const byKey = await signInWithKey(key);
    const byLink = await signInWithLink(email, "10.0.1.1");
    await call("POST", "/api/account/regenerate-key", { key });
    expect([await stateOf(byKey), await stateOf(byLink)]).toEqual(["signed-out", "subscriber"]);
    expect(location(await live(portalRequest("/portal/live", byKey)))).toBe("/login");
  });

  it("a session ends at sign-out, and every session at sign-out everywhere", async () => {
    const email = "everywhere@example.test";
    const { key } = await makeKey({ email });
    const [one, two, three] = [
      await signInWithKey(key),
      await signInWithLink(email, "10.0.1.2"),
      await signInWithKey(key),
    ];
    await signOut(portalForm("/login/sign-out", {}, { cookie: one }));
    expect([await stateOf(one), await stateOf(two)]).toEqual(["signed-out", "subscriber"]);
    await signOutEverywhere(
      portalForm("/portal/settings/act?intent=sign-out-everywhere", {}, { cookie: two }),
    );
    expect([await stateOf(two), await stateOf(three)]).toEqual(["signed-out", "signed-out"]);
  });

  it("a session is not opened by a form from another or an unknown site", async () => {
    const { key } = await makeKey();
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
      const answer = await signInByKey(portalForm("/login/by-key", { api_key: key }, { headers }));
      expect([answer.status, sessionCookieOf(answer)]).toEqual([403, null]);
    }
    const silent = portalForm("/login/by-key", { api_key: key });
    silent.headers.delete("sec-fetch-site");
    expect((await signInByKey(silent)).status).toBe(403);

    const from = (origin: string, host: string) => {
      const sent = portalForm("/login/by-key", { api_key: key }, { headers: { origin, host } });
      sent.headers.delete("sec-fetch-site");
      return signInByKey(sent).then(({ status }) => status);
    };
    const ours = "https://signals.example.test";
    expect(await from(ours, "10.0.0.7:3000"), "the proxy's own Host").toBe(303);
    expect(await from("https://evil.test", "evil.test"), "a Host that matches").toBe(403);
    expect(await from("http://signals.example.test", "signals.example.test"), "without TLS").toBe(403);
    env().baseUrlIsSet = false;
    expect(await from("http://192.168.1.5:3000", "192.168.1.5:3000"), "no BASE_URL is set").toBe(303);
    expect(await from("https://evil.test", "192.168.1.5:3000")).toBe(403);
    env().baseUrlIsSet = true;
  });

  it("an endless sign-in form without a declared length gets 413 before 200,000 bytes are read", async () => {
    let taken = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        taken += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(97));
      },
    });
    const { url, headers } = portalForm("/login/by-key", {});
    const init = { method: "POST", headers, body: endless, duplex: "half" };
    const answer = await signInByKey(new Request(url, init));
    expect(answer.status).toBe(413);
    expect(taken).toBeLessThan(200_000);
  });

  it("the last use of a session is written once a minute at most", async () => {
    const { key } = await makeKey();
    const cookie = await signInWithKey(key);
    const lastUsed = async (secondsAgo: number) => {
      await db().execute(
        sql`update sessions set last_used_at = now() - make_interval(secs => ${secondsAgo})`,
      );
      await stateOf(cookie);
      const [row] = await db().execute<{ seconds: number }>(sql`
        select extract(epoch from now() - last_used_at)::float8 as seconds from sessions order by created_at desc limit 1`);
      return row?.seconds ?? Number.NaN;
    };
    expect(await lastUsed(120)).toBeLessThan(60);
    expect(await lastUsed(20)).toBeGreaterThanOrEqual(20);
  });

  it("a forged session cookie is refused", async () => {
    expect(await stateOf("__Secure-next-auth.session-token=forged")).toBe("signed-out");
    expect(await stateOf("next-auth.session-token=forged")).toBe("signed-out");
  });
});

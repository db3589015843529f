import { request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { db } from "@/db/client";
import { writeSetting } from "@/db/queries/settings";
import { localLimiter } from "@/lib/access/limits/rolling-window";
import { NO_BRAND } from "@/lib/runtime/brand-settings";
import { operated } from "@/lib/runtime/operated";
import { pageRequest } from "@/lib/runtime/page-request";
import { createFront } from "@/lib/server/front";
import { cutDocument, gappedDocument } from "@/lib/server/pages/gapped-document";
import { KeptPages, type MadePage } from "@/lib/server/pages/kept-pages";
import { localMaker } from "@/lib/server/pages/local-maker";
import { Pace } from "@/lib/server/pages/pace";
import { useDatabase } from "@/tests/support/database";

useDatabase();

describe("a document with gaps", () => {
  it.each([
    ["no gap", "plain text"],
    ["one", `<p>${"word ".repeat(5_000)}</p><script nonce="MARK">`],
    ["gaps at both ends and side by side", "MARKa ä MARKMARK end MARK"],
    ["nothing", ""],
  ])("with %s reads the same compressed as not", async (_what, html) => {
    const document = gappedDocument(await cutDocument(html, "MARK"));
    // The first answers are summed in another way than the rest.
    const many = Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(22, "A"));
    for (const nonce of ["n", "AAAAAAAAAAAAAAAAAAAAAA==", ...many]) {
      const whole = html.replaceAll("MARK", nonce);
      expect(Buffer.concat(document.fill(nonce)).toString()).toBe(whole);
      expect(gunzipSync(Buffer.concat(document.fillGzipped(nonce))).toString()).toBe(whole);
    }
    expect(Buffer.concat(document.fillGzipped("n")).length).toBeLessThan(100 + html.length / 4);
    // What is large is the document's own, and no copy for each answer.
    for (const [index, piece] of document.fill("n").entries())
      if (piece.length > 1) expect(document.fill("m")[index]).toBe(piece);
  });
});

it("a crowd of pages lets everything else have its turn", async () => {
  const pace = new Pace(1_000_000);
  let gone = 0;
  const crowd = Array.from({ length: 20 }, () => pace.take().then(() => gone++));
  const seen: number[] = [];
  for (let n = 0; n < 5; n++) {
    await new Promise((done) => setImmediate(done));
    seen.push(gone);
  }
  for (const [index, count] of seen.entries()) expect(count).toBeLessThanOrEqual(index + 1);
  await Promise.all(crowd);
  expect(gone).toBe(20);
});

it("a crowd of pages leaves no faster than at its pace, and no slower", async () => {
  const pace = new Pace(200);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 101 }, () => pace.take()));
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(490);
  expect(tookMs).toBeLessThan(1_000);
});

/** What Next was asked to make, and how it answers. */
let made: { url: string; headers: IncomingMessage["headers"] }[] = [];
let answer: (response: ServerResponse) => void;
const makes = (request: IncomingMessage, response: ServerResponse) => {
  made.push({ url: request.url ?? "", headers: request.headers });
  answer(response);
};
beforeEach(() => {
  made = [];
  answer = (response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(
      `<p>page ${made.length}</p><script src="/enhance.js" nonce="${made.at(-1)?.headers["x-nonce"]}"></script>`,
    );
  };
});

describe("keeping a public page", () => {
  const home = { template: "/", address: "/", theme: "system" };
  let now = 0;
  const kept = () => new KeptPages(localMaker(makes), () => now);
  const text = ({ document }: MadePage) => Buffer.concat(document.fill("n")).toString();

  it("makes it once for all who wait, and again when it is old, while the old one is sent", async () => {
    const pages = kept();
    const [a, b] = await Promise.all([pages.get(home), pages.get(home)]);
    expect(made).toHaveLength(1);
    expect(a).toBe(b);
    now += 2_900;
    expect(await pages.get(home)).toBe(a);
    now += 200;
    expect(await pages.get(home), "the old one, while the next is made").toBe(a);
    await vi.waitFor(async () => expect(text(await pages.get(home))).toContain("page 2"));
    expect(made).toHaveLength(2);
  });

  it.each([
    { tookMs: 4, freshMs: 3_000, page: home },
    { tookMs: 30, freshMs: 15_000, page: home },
    { tookMs: 400, freshMs: 30_000, page: home },
    { tookMs: 400, freshMs: 3_000, page: { ...home, template: "/status", address: "/status" } },
  ])("keeps $page.address that took $tookMs ms for $freshMs ms", async ({ tookMs, freshMs, page }) => {
    const pages = kept();
    const plain = answer;
    answer = (response) => {
      now += tookMs;
      plain(response);
    };
    await pages.get(page);
    now += freshMs - 1;
    await pages.get(page);
    expect(made).toHaveLength(1);
    now += 1;
    await pages.get(page);
    expect(made).toHaveLength(2);
  });

  it("keeps one a theme, and waits for the new one when the old one is too old", async () => {
    const pages = kept();
    await pages.get(home);
    expect(text(await pages.get({ ...home, theme: "dark" }))).toContain("page 2");
    expect(made.map(({ headers }) => headers.cookie)).toEqual(["theme=system", "theme=dark"]);
    now += 46_000;
    expect(text(await pages.get(home))).toContain("page 3");
  });

  it("sends none that was made before a setting of the operator changed", async () => {
    const pages = kept();
    await pages.get(home);
    await writeSetting(db(), "brand", { ...NO_BRAND, name: "Kestrel" });
    await operated().readAgain();
    expect(text(await pages.get(home))).toContain("page 2");
    expect(text(await pages.get(home))).toContain("page 2");
    await writeSetting(db(), "brand", NO_BRAND);
    await operated().readAgain();
  });

  it("keeps one for each query of a page, and of many the newest", async () => {
    const pages = kept();
    const record = (query: string) => ({ ...home, template: "/record", address: `/record${query}` });
    await pages.get(record(""));
    await pages.get(record("?symbol=EURUSD"));
    await pages.get(record(""));
    expect(made.map(({ url }) => url)).toEqual(["/record", "/record?symbol=EURUSD"]);
    for (let n = 0; n < 300; n++) await pages.get(record(`?model=${n}`));
    await pages.get(record("?model=299"));
    expect(made).toHaveLength(302);
    await pages.get(record(""));
    expect(made, "forgotten meanwhile").toHaveLength(303);
  });

  it("never keeps a failure", async () => {
    const pages = kept();
    answer = (response) => {
      response.statusCode = 500;
      response.end("broken");
    };
    expect((await pages.get(home)).status).toBe(500);
    answer = () => {
      throw new Error("worse");
    };
    await expect(pages.get(home)).rejects.toThrow("worse");
    answer = (response) => response.end("well again");
    expect((await pages.get(home)).status).toBe(200);
    expect(made).toHaveLength(3);
  });
});

const connectionsOf = (server: Server) =>
  new Promise<number>((done, fail) => server.getConnections((error, n) => (error ? fail(error) : done(n))));

describe("a visitor", () => {
  const front = createFront({
    mounts: {},
    pages: localMaker(makes),
    findPage: (path) =>
      path.startsWith("/record/")
        ? { template: "/record/[symbol]/[tf]", kind: "page" }
        : ["/", "/status", "/login", "/record"].includes(path)
          ? { template: path, kind: "page" }
          : null,
    guardOf: () => null,
  });
  let port = 0;
  beforeEach(async () => {
    await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
    // Listening on a port, so the address is not a path.
    port = (front.address() as AddressInfo).port;
  });
  afterEach(async () => {
    front.closeAllConnections();
    await new Promise((done) => front.close(done));
  });

  function visit(path: string, headers: Record<string, string> = {}) {
    return new Promise<{ status: number; headers: IncomingMessage["headers"]; body: Buffer }>(
      (done, fail) => {
        const sent = httpRequest({ port, path, headers }, (answered) => {
          const chunks: Buffer[] = [];
          answered.on("data", (chunk) => chunks.push(chunk));
          answered.on("end", () =>
            done({
              status: answered.statusCode ?? 0,
              headers: answered.headers,
              body: Buffer.concat(chunks),
            }),
          );
        });
        sent.on("error", fail).end();
      },
    );
  }

  it("gets the kept page with a nonce of their own, and nothing of theirs is in it", async () => {
    const cookie = "theme=dark; __Secure-next-auth.session-token=mine; admin_session=mine";
    const first = await visit("/?x=mine", { cookie, authorization: "mine", "x-nonce": "mine" });
    const second = await visit("/", { "accept-encoding": "gzip", cookie: "theme=dark" });
    expect(made).toHaveLength(1);
    expect(JSON.stringify(made)).not.toContain("mine");
    expect(second.headers["content-encoding"]).toBe("gzip");
    const bodies = [first.body.toString(), gunzipSync(second.body).toString()];
    const nonces = bodies.map((body) => /nonce="([^"]+)"/.exec(body)?.[1] ?? "");
    expect(new Set(nonces).size).toBe(2);
    [first, second].forEach(({ headers }, index) => {
      expect(headers["content-security-policy"]).toContain(`'nonce-${nonces[index]}'`);
      expect(headers.vary).toBe("Accept-Encoding, Cookie");
      expect(headers["x-frame-options"]).toBe("DENY");
    });
    expect(bodies[0]?.replace(nonces[0] ?? "", "")).toBe(bodies[1]?.replace(nonces[1] ?? "", ""));
  });

  it("is told with 503 when to come back for a page that the database held up, and 500 of any other", async () => {
    answer = (response) => {
      const page = pageRequest.getStore();
      if (page) page.isUnavailable = true;
      response.statusCode = 500;
      response.end("broken");
    };
    const heldUp = await visit("/record?tf=H4");
    expect([heldUp.status, heldUp.headers["retry-after"]]).toEqual([503, "5"]);
    answer = (response) => {
      response.statusCode = 500;
      response.end("broken");
    };
    const broken = await visit("/record?tf=D1");
    expect([broken.status, broken.headers["retry-after"]]).toEqual([500, undefined]);
  });

  it("gets the page with what it reads of the query, in one order, and nothing else of it", async () => {
    await visit("/record?utm=mine&tf=H1&symbol=EURUSD&symbol=GBPUSD&model=");
    await visit("/record?symbol=EURUSD&tf=H1");
    await visit(`/record/EUR.X/H1?after=${"1".repeat(200)}&period=90`);
    await visit("/?symbol=EURUSD");
    expect(made.map(({ url }) => url)).toEqual([
      "/record?symbol=EURUSD&tf=H1",
      "/record/EUR.X/H1?period=90",
      "/",
    ]);
    expect(made[0]?.headers["x-page-address"]).toBe("/record?symbol=EURUSD&tf=H1");
  });

  it("waits for a place where many pages are being made, two seconds at most, and a place is free again after its page", async () => {
    const held: ServerResponse[] = [];
    answer = (response) => held.push(response);
    const asked = Array.from({ length: 16 }, () => visit("/login"));
    await vi.waitFor(() => expect(held).toHaveLength(16));
    const late = await Promise.all(["/login", "/docs/nothing"].map((path) => visit(path)));
    expect(late.map(({ status }) => status)).toEqual([503, 503]);
    expect(made).toHaveLength(16);
    const next = visit("/login");
    for (const response of held.splice(0, 8)) response.end("made");
    await vi.waitFor(() => expect(held).toHaveLength(9));
    for (const response of held.splice(0)) response.end("made");
    const answers = await Promise.all([...asked, next]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 17 }, () => 200));
  });

  it("who went away while waiting takes no place", async () => {
    const held: ServerResponse[] = [];
    answer = (response) => held.push(response);
    const asked = Array.from({ length: 16 }, () => visit("/login"));
    await vi.waitFor(() => expect(held).toHaveLength(16));
    const gone = httpRequest({ port, path: "/login" });
    gone.on("error", () => undefined);
    await new Promise<void>((done) => gone.end(() => done()));
    await vi.waitFor(async () => expect(await connectionsOf(front)).toBe(17));
    gone.destroy();
    await vi.waitFor(async () => expect(await connectionsOf(front)).toBe(16));
    for (const response of held.splice(0)) response.end("made");
    await Promise.all(asked);
    const again = Array.from({ length: 16 }, () => visit("/login"));
    await vi.waitFor(() => expect(held).toHaveLength(16));
    for (const response of held.splice(0)) response.end("made");
    await Promise.all(again);
    expect(made.length).toBeLessThanOrEqual(33);
  });

  it("who asks for more pages than a person reads has to wait, but for kept ones and files", async () => {
    for (let n = 0; n < 600; n++) localLimiter().take("page:127.0.0.1", 600);
    const refused = await visit("/login");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.headers["content-type"]).toContain("text/html");
    expect((await visit("/nothing")).status).toBe(429);
    expect((await visit("/record?symbol=EURUSD")).status).toBe(429);
    expect((await visit("/record/EURUSD/H1")).status).toBe(429);
    expect((await visit("/status")).status).toBe(200);
    expect((await visit("/record?utm=1")).status).toBe(200);
    expect((await visit("/_next/static/a.js")).status).toBe(200);
  });

  it("gets 503 when the page cannot be made in time, and the page as soon as it can", async () => {
    answer = () => {
      throw Object.assign(new Error("no answer"), { code: "DEADLINE" });
    };
    const down = await visit("/status", { cookie: "theme=light" });
    expect([down.status, down.headers["retry-after"]]).toEqual([503, "5"]);
    answer = (response) => response.end("here");
    expect((await visit("/status", { cookie: "theme=light" })).status).toBe(200);
  });
});

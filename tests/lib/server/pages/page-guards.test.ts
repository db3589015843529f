import { readdirSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { signInAdmin } from "@/tests/support/admin-browser";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { useHttpServer } from "@/tests/support/http-server";
import { signInWithKey } from "@/tests/support/portal";

useDatabase();

const app = fileURLToPath(new URL("../../../../app", import.meta.url));

/** Every page below /portal and /admin: its file and a sample address. */
const pages = ["portal", "admin"].flatMap((area) =>
  readdirSync(join(app, area), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === "page.tsx")
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const folders = relative(app, entry.parentPath).split("/");
      const parts = folders.filter((part) => !part.startsWith("("));
      return { file, address: `/${parts.map((part) => (part.startsWith("[") ? "1" : part)).join("/")}` };
    }),
);
/** The administrators' sign-in pages, which have no guard. */
const OPEN = ["/admin/sign-in", "/admin/sign-in/link"];
const guarded = pages.filter(({ address }) => !OPEN.includes(address));

const known = new Set(pages.map(({ address }) => address));
const running = useHttpServer({
  findPage: (path) => (known.has(path) ? { template: path, kind: "page" } : null),
  next: (request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.statusCode = request.url === "/-" ? 404 : 200;
    response.end("page");
  },
});
let reached: string[] = [];

function ask(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number; location: string | undefined }> {
  running.rendered.length = 0;
  reached = running.rendered;
  return new Promise((done, fail) => {
    const sent = httpRequest(
      { port: running.port, path, method, headers: { accept: "text/html", ...headers } },
      (answer) =>
        answer
          .resume()
          .on("end", () => done({ status: answer.statusCode ?? 0, location: answer.headers.location })),
    );
    sent.on("error", fail).end();
  });
}

/** The ways in which browsers, the framework and other clients request the same page. */
const forms: [
  string,
  (address: string) => { path: string; headers?: Record<string, string>; method?: string },
][] = [
  ["as a document", (path) => ({ path })],
  ["by HEAD", (path) => ({ path, method: "HEAD" })],
  ["as the router's data", (path) => ({ path: `${path}?_rsc=abc`, headers: { RSC: "1" } })],
  [
    "as a segment fetched ahead",
    (path) => ({
      path: `${path}?_rsc=abc`,
      headers: { RSC: "1", "Next-Router-Prefetch": "1", "Next-Router-Segment-Prefetch": "/_tree" },
    }),
  ],
  ["with a slash at its end", (path) => ({ path: `${path}/` })],
  ["with doubled slashes", (path) => ({ path: path.replaceAll("/", "//") })],
  ["as data by its ending", (path) => ({ path: `${path}.rsc` })],
  ["as a segment by its ending", (path) => ({ path: `${path}.segments/_tree.segment.rsc` })],
  ["percent-encoded", (path) => ({ path: path.replace("/a", "/%61").replace("/p", "/%70") })],
];

describe("a portal or administration page", () => {
  it("more than twenty portal and administration pages are found to be tested", () => {
    expect(guarded.length).toBeGreaterThan(20);
  });

  it.each(forms)(
    "a portal or administration page is not rendered without a session when requested %s",
    async (_how, formOf) => {
      for (const { address } of guarded) {
        const { path, headers, method } = formOf(address);
        const { status } = await ask(path, headers, method);
        expect(
          reached.filter((url) => !url.startsWith("/-")),
          `${address}: ${status}`,
        ).toEqual([]);
      }
    },
  );

  it("a portal or administration page without a session redirects to sign-in, with its address as next", async () => {
    expect(await ask("/portal/signals?symbol=EURUSD")).toEqual({
      status: 307,
      location: "/login?next=%2Fportal%2Fsignals%3Fsymbol%3DEURUSD",
    });
    expect(await ask("/portal")).toEqual({ status: 307, location: "/login" });
    expect(await ask("/admin/mail?state=dead", { cookie: "admin_session=old" })).toEqual({
      status: 307,
      location: "/admin/sign-in?next=%2Fadmin%2Fmail%3Fstate%3Ddead&reason=ended",
    });
  });

  it("the subscribers page redirects a search for a complete key to a search for its hint, also before the sign-in", async () => {
    const { key } = await makeKey({});
    const hint = encodeURIComponent(`${key.slice(0, 4)}****${key.slice(-4)}`).replaceAll("%2A", "*");
    const address = `/admin/subscribers?plan=pro&q=${encodeURIComponent(` ${key.toUpperCase()} `)}`;
    for (const cookie of ["", await signInAdmin()])
      expect(await ask(address, { cookie })).toEqual({
        status: 307,
        location: `/admin/subscribers?plan=pro&q=${hint}`,
      });
    expect(reached).toEqual([]);
  });

  it("a portal or administration page is rendered with a session of its area, and redirects with one of the other", async () => {
    const { key } = await makeKey({});
    const readers = { portal: await signInWithKey(key), admin: await signInAdmin() };
    for (const { address } of guarded) {
      const cookie = address.startsWith("/portal") ? readers.portal : readers.admin;
      expect((await ask(address, { cookie })).status, address).toBe(200);
      expect(reached).toEqual([address]);
      const other = address.startsWith("/portal") ? readers.admin : readers.portal;
      expect((await ask(address, { cookie: other })).status, address).toBe(307);
    }
    expect((await ask("/admin/sign-in")).status).toBe(200);
  });

  it.each(guarded)(
    "the file of the page $address calls the guard that requires a session",
    ({ file, address }) => {
      const guard = address.startsWith("/portal") ? "await requireSubscriber(" : "await requireAdminSession(";
      expect(readFileSync(file, "utf8")).toContain(guard);
    },
  );
});

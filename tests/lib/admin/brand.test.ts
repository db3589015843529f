import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { GET as statusFeed } from "@/app/(site)/status/feed.json/route";
import { POST as sendLogo } from "@/app/admin/(area)/settings/brand/logo/route";
import { GET as brandFile } from "@/app/brand/[file]/route";
import { GET as llms } from "@/app/llms.txt/route";
import { db } from "@/db/client";
import type { Flash } from "@/lib/auth/flash";
import { contactAddress } from "@/lib/outbound/mail/contact";
import { renderStoredMail } from "@/lib/outbound/mail/render-stored";
import { brand } from "@/lib/runtime/brand";
import { accentProblem, contrastRatio } from "@/lib/runtime/colours";
import { DEFAULT_SERVICE_NAME } from "@/lib/runtime/env";
import { sha256 } from "@/lib/runtime/secrets";
import {
  type AdminFormHandler,
  formHandlerOfSetting,
  formRequest,
  postFormForFlash,
  signInAdmin,
  storeSetting,
  takeFlash,
} from "@/tests/support/admin-browser";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const saveBrand = formHandlerOfSetting("brand");
let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

const flash = () => takeFlash(cookie);
const send = (handler: AdminFormHandler<Record<string, never>>, fields: Record<string, string>) =>
  postFormForFlash(handler, {}, fields, cookie);
const store = async (fields: Record<string, string>) =>
  (await storeSetting(saveBrand, {}, fields, cookie)).lines;

const nothing = {
  name: "",
  accent_light: "",
  accent_dark: "",
  sender_name: "",
  sender_address: "",
  support_address: "",
  shop_url: "",
};

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function sendFile(bytes: Buffer): Promise<Flash | null> {
  const form = new FormData();
  form.set("logo", new File([Uint8Array.from(bytes)], "logo.png", { type: "image/png" }));
  const encoded = new Response(form);
  const plain = formRequest("/admin/form", {}, { cookie });
  const headers = new Headers(plain.headers);
  headers.set("Content-Type", encoded.headers.get("content-type") ?? "");
  const request = new Request(plain.url, { method: "POST", headers, body: await encoded.arrayBuffer() });
  const answer = await sendLogo(request, { params: Promise.resolve({}) });
  expect(answer.status).toBe(303);
  return flash();
}

const fileOf = (file: string) => brandFile(new Request("http://x/"), { params: Promise.resolve({ file }) });

describe("the brand", () => {
  it("the brand is initially the default name, without a logo, accent colour or support address", () => {
    expect(brand()).toMatchObject({
      name: DEFAULT_SERVICE_NAME,
      logoPath: null,
      accent: null,
      supportAddress: null,
    });
  });

  it("a stored brand applies at once to mails, llms.txt, the status feed and the OpenAPI document", async () => {
    const lines = await store({
      ...nothing,
      name: "Kestrel & Co",
      accent_light: "#7a1f5c",
      accent_dark: "F0A6D8",
      sender_address: "hello@kestrel.example",
      support_address: "help@kestrel.example",
      shop_url: "https://shop.kestrel.example",
    });
    expect(lines[0]).toMatch(/^Mails come from "Kestrel & Co" <hello@kestrel.example> instead of/);
    expect(brand()).toMatchObject({
      name: "Kestrel & Co",
      accent: { light: "#7a1f5c", dark: "#f0a6d8" },
      mailFrom: '"Kestrel & Co" <hello@kestrel.example>',
      shopUrl: "https://shop.kestrel.example",
    });
    expect(contactAddress()).toBe("help@kestrel.example");
    expect(await llms().text()).toMatch(/^# Kestrel & Co\n/);
    expect((await (await statusFeed()).json()).title).toBe("Kestrel & Co: status");
    expect((await call("GET", "/openapi.json")).json.info).toMatchObject({
      title: "Kestrel & Co",
      contact: { email: "help@kestrel.example" },
    });
    const mail = await renderStoredMail(
      { kind: "access-suspended", props: { userName: "Ada", suspendedAt: "2026-11-20T10:00:00Z" } },
      null,
    );
    expect(mail.html).toContain("Kestrel &amp; Co");
    expect(mail.html).toContain("#7a1f5c");
    expect(mail.text).toContain("help@kestrel.example");
    expect(`${mail.html}${mail.text}`).not.toContain(DEFAULT_SERVICE_NAME);
    const [row] = await db().execute<{ details: { before: unknown; after: unknown } }>(
      sql`select details from admin_audit where action = 'brand.change'`,
    );
    expect(row?.details).toMatchObject({ before: { name: null }, after: { name: "Kestrel & Co" } });
  });

  it.each([
    [{ accent_light: "#9db2ff" }, { accent_light: expect.stringMatching(/has a contrast of 1\.\d\d to 1 /) }],
    [{ accent_dark: "#2148b8" }, { accent_dark: expect.stringMatching(/has a contrast of \d\.\d\d to 1 /) }],
    [{ accent_light: "red" }, { accent_light: "must be a colour such as #2148b8" }],
    [{ name: 'A "quoted" name' }, { name: expect.stringContaining("one line") }],
    [{ name: "two\nlines" }, { name: expect.stringContaining("one line") }],
    [{ shop_url: "javascript:alert(1)" }, { shop_url: expect.stringContaining("https://") }],
    [{ logo: `${"0".repeat(64)}.png` }, { logo: "must be an uploaded logo" }],
  ])("the brand is refused with %j", async (wrong, errors) => {
    expect(await send(saveBrand, { ...nothing, ...wrong })).toMatchObject({ kind: "form", errors });
  });

  it("an uploaded logo of the brand is served under the hash of its bytes", async () => {
    const preview = await sendFile(PNG);
    if (preview?.kind !== "preview") throw new Error(`no preview: ${JSON.stringify(preview)}`);
    expect(brand().logoPath).toBeNull();
    expect(await send(saveBrand, { ...preview.values, mark: preview.mark })).toMatchObject({ kind: "done" });
    const path = brand().logoPath ?? "";
    expect(path).toBe(`/brand/${sha256(PNG)}.png`);
    const served = await fileOf(path.slice("/brand/".length));
    expect(served.headers.get("content-type")).toBe("image/png");
    expect(served.headers.get("cache-control")).toContain("immutable");
    expect(Buffer.from(await served.arrayBuffer())).toEqual(PNG);
    expect((await fileOf(path.slice("/brand/".length).replace("png", "webp"))).status).toBe(404);
  });

  it.each([
    ["a script", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"), "must be a PNG"],
    ["a file that is too large", Buffer.concat([PNG, Buffer.alloc(64 * 1024)]), "at most 64 kB"],
    ["an empty file", Buffer.alloc(0), "must be a file"],
  ])("the brand's form refuses %s as a logo", async (_, bytes, error) => {
    expect(await sendFile(bytes)).toMatchObject({
      kind: "form",
      errors: { logo: expect.stringContaining(error) },
      values: {},
    });
  });

  it("the colours of the brand are in a style sheet whose file name contains them", async () => {
    const sheet = await fileOf("7a1f5c-f0a6d8.css");
    expect(await sheet.text()).toContain("--color-accent: light-dark(#7a1f5c, #f0a6d8);");
    for (const other of ["7a1f5c.css", "7a1f5g-f0a6d8.css", "../../etc/passwd", "a".repeat(64)])
      expect((await fileOf(other)).status, other).toBe(404);
  });
});

describe("the contrast of the brand's colours", () => {
  it("the contrast of two colours follows WCAG", () => {
    expect(contrastRatio("#000000", "#ffffff")).toBeCloseTo(21, 10);
    expect(contrastRatio("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  });

  it("the contrast of the default colours is sufficient", () => {
    expect(accentProblem("light", "#2148b8")).toBeNull();
    expect(accentProblem("dark", "#9db2ff")).toBeNull();
  });
});

describe("the name of the service", () => {
  it("the default name of the service is written in one source file only", () => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const files = ["app", "lib", "emails", "db", "public"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter((path) => /\.(?:tsx?|mjs|svg|css|txt|mq[45h]h?|py)$/.test(path))
        .filter((path) => !path.includes("node_modules")),
    );
    expect(files.length).toBeGreaterThan(500);
    const naming = files.filter((path) =>
      readFileSync(join(root, path), "utf8").includes(DEFAULT_SERVICE_NAME),
    );
    expect(naming).toEqual(["lib/runtime/env.ts"]);
  });
});

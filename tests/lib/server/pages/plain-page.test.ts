import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { isPlainPage, plainHtml, sendPlainPage } from "@/lib/server/pages/plain-page";

const DOCUMENT = `<!DOCTYPE html><html><head><title>T</title><link rel="preload" as="script" href="/_next/a.js"/>
<link rel="preload" as="font" href="/f.woff2"/></head><body><p>text</p><script src="/enhance.js" async=""></script>
<script src="/_next/a.js" async=""></script><script nonce="n">self.__next_f.push([1,"a\\u003c/script>"])</script></body></html>`;

describe("a plain document", () => {
  it("keeps the text, the styles, the fonts and the site's own script, and nothing else that runs", () => {
    const html = plainHtml(DOCUMENT);
    expect(html).toContain("<p>text</p>");
    expect(html).toContain('as="font"');
    expect(html.match(/<script\b[^>]*>/g)).toEqual(['<script src="/enhance.js" async="">']);
    expect(html).not.toContain('as="script"');
    expect(html).not.toContain("__next_f");
  });

  // Only the headers are looked at.
  const asked = (headers: Record<string, string> = {}) => ({ headers }) as unknown as IncomingMessage;

  it.each([
    "/",
    "/status",
    "/docs",
    "/docs/errors",
    "/docs/reference",
    "/changelog",
    "/security",
    "/record",
    "/verify",
  ])("%s is one", (path) => {
    expect(isPlainPage(path, path, asked())).toBe(true);
    expect(isPlainPage(path, path, asked({ rsc: "1" }))).toBe(false);
  });

  it("a page is one whatever the names in its address, a file under it is none", () => {
    expect(isPlainPage("/record/EURUSD.X/H1", "/record/[symbol]/[tf]", asked())).toBe(true);
    expect(isPlainPage("/models/7", "/models/[id]", asked())).toBe(true);
    expect(isPlainPage("/record/A/H1/signals.csv", "/record/[symbol]/[tf]/signals.csv", asked())).toBe(false);
    expect(isPlainPage("/verify/verify.mjs", null, asked())).toBe(false);
  });

  it.each(["/portal", "/admin", "/login", "/status/feed.json", "/statuses"])("%s is none", (path) => {
    expect(isPlainPage(path, path, asked())).toBe(false);
  });

  it("an unknown address gets one, a file does not", () => {
    expect(isPlainPage("/nothing", null, asked())).toBe(true);
    expect(isPlainPage("/_next/static/chunks/a.js", null, asked())).toBe(false);
    expect(isPlainPage("/ea-kit/signal_delivery.py", null, asked())).toBe(false);
  });
});

describe("sending it", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function exchange(
    answer: (request: IncomingMessage, response: ServerResponse) => unknown,
    headers: Record<string, string> = {},
    method = "GET",
  ): Promise<{ status: number; headers: IncomingMessage["headers"]; body: Buffer }> {
    server = createServer((request, response) => sendPlainPage(request, response, answer));
    await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return new Promise((done, fail) => {
      httpRequest({ port: address.port, host: "127.0.0.1", headers, method }, async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
      })
        .on("error", fail)
        .end();
    });
  }

  const page = (request: IncomingMessage, response: ServerResponse) => {
    expect(request.headers["accept-encoding"]).toBeUndefined();
    response.statusCode = 404;
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.flushHeaders();
    response.write(DOCUMENT.slice(0, 200));
    response.write(Buffer.from(DOCUMENT.slice(200)), () => response.end());
  };

  it("puts the pieces together and compresses them for those who take it", async () => {
    const { status, headers, body } = await exchange(page, { "accept-encoding": "br, gzip" });
    expect(status).toBe(404);
    expect(headers["content-encoding"]).toBe("gzip");
    expect(headers["content-length"]).toBe(String(body.length));
    expect(gunzipSync(body).toString()).toBe(plainHtml(DOCUMENT));
  });

  it("sends it as it is to those who do not", async () => {
    const { headers, body } = await exchange(page);
    expect(headers["content-encoding"]).toBeUndefined();
    expect(body.toString()).toBe(plainHtml(DOCUMENT));
  });

  it("takes a head that is written early", async () => {
    const { status, headers, body } = await exchange((_request, response) => {
      response.writeHead(503, { "Content-Type": "text/html", "X-Early": "yes" });
      response.end(DOCUMENT);
    });
    expect(status).toBe(503);
    expect(headers["x-early"]).toBe("yes");
    expect(body.toString()).toBe(plainHtml(DOCUMENT));
  });

  it("leaves answers alone that are not HTML", async () => {
    const { headers, body } = await exchange((_request, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end('{"a":"<script>1</script>"}');
    });
    expect(headers["content-type"]).toBe("application/json");
    expect(body.toString()).toBe('{"a":"<script>1</script>"}');
  });

  it("answers HEAD without a body", async () => {
    const { status, body } = await exchange(page, {}, "HEAD");
    expect(status).toBe(404);
    expect(body.length).toBe(0);
  });
});

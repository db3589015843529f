import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { markPageNotFound, newPageRequest, pageRequestStorage } from "@/lib/runtime/page-request";
import { MISSING_PAGE_ADDRESS } from "@/lib/server/pages/plain-page";
import { reportPageFailure } from "@/lib/server/pages/report-page-failure";
import { useDatabase } from "@/tests/support/database";
import { rawGetRequest, useHttpServer } from "@/tests/support/http-server";

useDatabase();

const running = useHttpServer({
  findPage: (path) =>
    path === MISSING_PAGE_ADDRESS
      ? null
      : { template: path, kind: path === "/login/by-key" ? "handler" : "page" },
  next: (request, response) => {
    const page = pageRequestStorage.getStore();
    if (request.url === "/login/by-key" && request.headers["x-cut"] !== undefined) return response.destroy();
    if (request.url === "/login/by-key" && request.method === "POST") {
      response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "7" });
      return response.end("The <service> is unavailable.\n");
    }
    if (page && request.url?.includes("in-words")) {
      markPageNotFound();
      response.setHeader("Content-Type", "text/html");
      return response.end("the menu and what is missing");
    }
    if (request.url?.includes("empty")) {
      response.writeHead(404, { "Content-Type": "text/html" });
      return response.end("<html id='__next_error__'></html>");
    }
    if (request.url === MISSING_PAGE_ADDRESS) {
      response.writeHead(404, { "Content-Type": "text/html" });
      return response.end("There is nothing at this address.");
    }
    if (page && request.url?.includes("database")) page.isUnavailable = true;
    const ways: Record<string, () => void> = {
      pieces: () => {
        response.statusCode = 500;
        response.setHeader("Content-Encoding", "gzip");
        response.write("inner words");
        response.end("more");
      },
      head: () => {
        response.writeHead(500, { "Content-Type": "text/plain" });
        response.end("inner words");
      },
      thrown: () => {
        throw Object.assign(
          new Error("inner words"),
          request.url?.includes("database") ? { code: "57014" } : {},
        );
      },
    };
    const way = Object.keys(ways).find((name) => request.url?.includes(name));
    if (way !== undefined) return ways[way]?.();
    response.writeHead(404, { "Content-Type": "text/plain" });
    response.write("no ");
    response.end("page");
  },
});

const PAGES = [
  ["rendered for its visitor", "/login"],
  ["plain", "/docs"],
];
const WAYS = PAGES.flatMap(([kind, path]) =>
  ["pieces", "head", "thrown"].map((way) => [kind, way, `${path}/${way}`]),
);

describe("a failed page", () => {
  it.each(WAYS)(
    "a failed page (%s, failed by %s) is 503 with Retry-After when the database did not answer",
    async (_kind, _way, path) => {
      const answer = await running.exchange(rawGetRequest(`${path}/database`));
      expect(answer.status).toBe(503);
      expect(answer.head).toContain("Retry-After: 5");
      expect(answer.body).toContain("<h1>We cannot load this page right now.</h1>");
      expect(answer.head + answer.body).not.toMatch(/inner words|x-page-unavailable/i);
    },
  );

  it.each(WAYS)(
    "a failed page (%s, failed by %s) is 500 without Retry-After on a defect",
    async (_kind, _way, path) => {
      const answer = await running.exchange(rawGetRequest(path ?? ""));
      expect(answer.status).toBe(500);
      expect(answer.head).not.toContain("Retry-After");
      expect(answer.body).toContain("<h1>This page failed to load.</h1>");
      expect(answer.body).not.toContain("inner words");
    },
  );

  it("a page's own 404 is passed on with its text", async () => {
    const { status, body } = await running.exchange(rawGetRequest("/login"));
    expect(status).toBe(404);
    expect(body).toContain("no ");
  });
});

describe("a form that failed", () => {
  const sent = (headers: string) =>
    running.exchange(
      `POST /login/by-key HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: 0\r\nConnection: close\r\n\r\n`,
    );

  it("a failed form gets a browser a page with the failure's text, the advice to reload it, and a link back", async () => {
    const { status, head, body } = await sent(
      "Accept: text/html,*/*\r\nReferer: http://localhost/login?next=%22\r\n",
    );
    expect(status).toBe(503);
    expect(head).toMatch(/content-type: text\/html/i);
    expect(head).toMatch(/retry-after: 7/i);
    expect(body).toContain(
      "<p>The &lt;service&gt; is unavailable. To send it again with what you entered, reload",
    );
    expect(body).toContain('<a href="/login?next=%22">Back (what you entered is lost)</a>');
  });

  it("the page of a failed form links to the front page if another site sent the form", async () => {
    const { body } = await sent("Accept: text/html\r\nReferer: https://other.example/evil\r\n");
    expect(body).toContain('<div class="actions"><a href="/">');
  });

  it("the page of a failed form links to the front page if the form's path begins like another site's address", async () => {
    const { body } = await sent("Accept: text/html\r\nReferer: http://localhost//other.example/evil\r\n");
    expect(body).toContain('<div class="actions"><a href="/">');
  });

  it("a form that the page process did not answer gets the advice to reload, and a link to its page that says that the text is lost", async () => {
    const { status, body } = await sent("X-Cut: 1\r\nReferer: http://localhost/login?next=%22\r\n");
    expect(status).toBe(503);
    expect(body).toContain("<h1>We cannot load this page right now.</h1>");
    expect(body).toContain("reload this page.</p>");
    expect(body).toContain(
      '<div class="actions"><a href="/login?next=%22">Back (what you entered is lost)</a>',
    );
  });

  it("a failed form gets a program the failure's text as plain text", async () => {
    expect((await sent("Accept: */*\r\n")).body).toContain("The <service> is unavailable.");
  });
});

describe("an unknown page", () => {
  it("an unknown page is 404 and keeps its layout", async () => {
    const answer = await running.exchange(rawGetRequest("/login/in-words"));
    expect(answer.status).toBe(404);
    expect(answer.body).toContain("the menu and what is missing");
    expect(answer.head).not.toMatch(/x-page-missing/i);
  });

  it.each(["/r/empty", "/docs/empty"])("the unknown page %s gets the 404 document", async (path) => {
    const answer = await running.exchange(rawGetRequest(path));
    expect(answer.status).toBe(404);
    expect(answer.body).toContain("There is nothing at this address.");
  });
});

describe("a failure that Next reports", () => {
  it("a page failure that Next reports is logged without the error's message, and marks the page as unavailable", () => {
    const page = newPageRequest("/portal");
    const error = Object.assign(new Error("select * from secrets where a = 'quoted'"), {
      digest: "1234567890",
      code: "57014",
    });
    pageRequestStorage.run(page, () => reportPageFailure(error));
    const written = readFileSync(process.env.LOG_FILE ?? "", "utf8");
    expect(written).not.toContain("quoted");
    const lines = written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "warn", msg: "a page failed", route: "/portal", code: "1234567890" }),
    );
    expect(page.isUnavailable).toBe(true);
  });
});

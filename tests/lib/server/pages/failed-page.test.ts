import { readFileSync } from "node:fs";
import { createServer, get, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pageRequest } from "@/lib/runtime/page-request";
import { sendConsoleToLog } from "@/lib/server/console-lines";
import { replaceFailure } from "@/lib/server/pages/failed-page";
import { useDatabase } from "@/tests/support/database";

useDatabase();

function exchange(
  listener: RequestListener,
): Promise<{ status: number; retry?: string | undefined; body: string }> {
  return new Promise((done, fail) => {
    const server = createServer(listener);
    server.listen(0, "127.0.0.1", () => {
      // Listening on a port, so the address is not a path.
      const { port } = server.address() as AddressInfo;
      get({ port }, (answer) => {
        let body = "";
        answer.on("data", (chunk) => {
          body += chunk;
        });
        answer.on("end", () => {
          server.close();
          done({ status: answer.statusCode ?? 0, retry: answer.headers["retry-after"], body });
        });
      }).on("error", fail);
    });
  });
}

describe("a page that failed", () => {
  const ways: [string, RequestListener][] = [
    [
      "in pieces",
      (_request, response) => {
        response.statusCode = 500;
        response.setHeader("Content-Encoding", "gzip");
        response.write("inner words");
        response.end("more");
      },
    ],
    [
      "with a head first",
      (_request, response) => {
        response.writeHead(500, { "Content-Type": "text/plain" });
        response.end("inner words");
      },
    ],
    [
      "at once",
      (_request, response) => {
        response.statusCode = 500;
        response.end("inner words");
      },
    ],
  ];

  it.each(ways)(
    "written %s is 503 with a time to come back when the database held it up",
    async (_how, fail) => {
      const answer = await exchange((request, response) => {
        replaceFailure(response, () => true);
        fail(request, response);
      });
      expect([answer.status, answer.retry]).toEqual([503, "5"]);
      expect(answer.body).toContain("<h1>This page cannot be made just now.</h1>");
      expect(answer.body).not.toContain("inner words");
    },
  );

  it.each(ways)("written %s is 500 when it is broken", async (_how, fail) => {
    const answer = await exchange((request, response) => {
      replaceFailure(response, () => false);
      fail(request, response);
    });
    expect([answer.status, answer.retry]).toEqual([500, undefined]);
    expect(answer.body).toContain("<h1>This page could not be made.</h1>");
  });

  it("leaves every other answer alone", async () => {
    const answer = await exchange((_request, response) => {
      replaceFailure(response, () => true);
      response.writeHead(404, { "Content-Type": "text/plain" });
      response.write("no ");
      response.end("page");
    });
    expect(answer).toEqual({ status: 404, retry: undefined, body: "no page" });
  });
});

describe("what packages print", () => {
  afterEach(() => vi.restoreAllMocks());

  it("becomes lines of the log without any of its text", () => {
    const before = { ...console };
    const page = { template: "/portal", isUnavailable: false, reader: null };
    try {
      sendConsoleToLog();
      pageRequest.run(page, () => {
        const error = Object.assign(new Error("select * from secrets where a = 'quoted'"), {
          digest: "1234567890",
          code: "57014",
        });
        console.error(" ⨯", error);
      });
      console.warn("/docs?token=quoted");
    } finally {
      Object.assign(console, before);
    }
    const written = readFileSync(process.env.LOG_FILE ?? "", "utf8");
    expect(written).not.toContain("quoted");
    const lines = written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "warn", msg: "a page failed", route: "/portal", code: "1234567890" }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ level: "warn", msg: "a package printed a line" }));
    expect(page.isUnavailable).toBe(true);
  });
});

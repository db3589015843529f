import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { INVALID_TARGETS } from "@/tests/support/invalid-targets";
import { type ServerAddress, sendOneRequest, sendRawRequests, sendWithoutReading } from "./raw-socket";

/** A server and a subscriber's credentials for it. */
export interface AttackedService {
  target: ServerAddress;
  key: string;
  /** The subscriber's session. */
  cookie: string;
}

export interface CaseResult {
  figures: string;
  /** Broken guarantees, one line each; empty after a success. */
  failures: string[];
}

const NOTHING: Record<string, string> = {};

/** Maximum time for a page during an attack. */
const PAGE_MS = 3_000;

/** Time until unread pages are rendered as far as possible. */
const UNREAD_MS = 5_000;

/** Attacks on a server by name, in the order in which they run. Each one ends its requests and connections. */
export const ATTACK_CASES: Record<string, (access: AttackedService) => Promise<CaseResult>> = {
  "an invalid absolute target": async ({ target }) => {
    const statuses = new Map<string, string>();
    for (const wanted of INVALID_TARGETS) statuses.set(wanted, await statusOf(target, wanted));
    const wrong = [...statuses].filter(([, status]) => status !== "400");
    return {
      figures: `${wrong.length} of ${statuses.size} not answered with 400`,
      failures: wrong.map(([wanted, status]) => `GET ${wanted}: ${status}`),
    };
  },

  "20 abandoned connections with two requests each": async (access) => {
    const before = await checkPages(access);
    for (const path of ["/terms", "/api/stream", "/login"]) {
      const request = requestBytes(
        "GET",
        path,
        path === "/api/stream" ? { "X-API-Key": access.key } : NOTHING,
      );
      for (let n = 0; n < 20; n++)
        await sendRawRequests(access.target, {
          pieces: [Buffer.concat([request, request])],
          methods: ["GET", "GET"],
          ending: "destroy",
          patienceMs: PAGE_MS,
        });
    }
    await pause(1_000);
    const after = await checkPages(access);
    const stream = await sendOneRequest(access.target, {
      path: "/api/stream",
      headers: { "X-API-Key": access.key },
    });
    return {
      figures: `before ${before.join(", ")}; after ${after.join(", ")}; /api/stream ${stream.status}`,
      failures: [
        ...after.filter((line) => !line.includes(" 200 ")),
        ...(stream.status === 200 ? [] : [`/api/stream ${stream.status}`]),
      ],
    };
  },

  "18 connections that request large pages and read nothing": async (access) => {
    // The router data of this page is a megabyte, more than the kernel's socket buffers hold.
    const sockets: Socket[] = [];
    for (let n = 0; n < 18; n++) {
      const headers = { RSC: "1", "X-Forwarded-For": `198.51.100.${n}` };
      const request = requestBytes("GET", "/docs/reference?_rsc", headers);
      sockets.push(
        await sendWithoutReading(access.target, Buffer.concat(Array.from({ length: 8 }, () => request))),
      );
    }
    try {
      await pause(UNREAD_MS);
      const meanwhile = await checkPages(access);
      return {
        figures: `pages meanwhile ${meanwhile.join(", ")}`,
        failures: meanwhile.filter((line) => !line.includes(" 200 ")),
      };
    } finally {
      for (const socket of sockets) socket.destroy();
      await pause(500);
    }
  },

  "RSC: 1 from one address": async ({ target }) => {
    const statuses = new Map<string, number>();
    const durations: number[] = [];
    let isOver = false;
    const stranger = async (isKept: boolean) => {
      while (!isOver) {
        const headers = { RSC: "1", Accept: "*/*", "X-Forwarded-For": "203.0.113.9" };
        const path = isKept ? "/terms?_rsc" : "/login?_rsc";
        const { status, headers: told } = await sendOneRequest(target, { path, headers });
        const name = `${isKept ? "kept" : "rendered"} ${status} ${told.get("content-type")?.split(";")[0]}`;
        statuses.set(name, (statuses.get(name) ?? 0) + 1);
        if (status === 429) await pause(20);
      }
    };
    const strangers = Array.from({ length: 16 }, (_, n) => stranger(n % 2 === 0));
    for (let n = 0; n < 10; n++) {
      await pause(200);
      const { ms } = await sendOneRequest(target, {
        path: "/login",
        headers: { "X-Forwarded-For": "203.0.113.77" },
      });
      durations.push(ms);
    }
    isOver = true;
    await Promise.all(strangers);
    const made = [...statuses].filter(([name]) => name.startsWith("kept") && name.includes("x-component"));
    const shown = [...statuses].map(([name, n]) => `${name} x ${n}`).join(", ");
    const slowest = Math.max(...durations);
    return {
      figures: `${shown}; another visitor waited ${slowest.toFixed(0)} ms at most`,
      failures: [
        ...made.map(([name, n]) => `a cached page was rendered again: ${name} x ${n}`),
        ...(slowest > PAGE_MS ? [`another visitor waited ${slowest.toFixed(0)} ms`] : []),
      ],
    };
  },

  "an oversized body, written before anything is read": async ({ target, key }) => {
    const part = Buffer.alloc(64 * 1024, "a");
    const parts = Array.from({ length: 32 }, () => part);
    const told = new Map<string, number>();
    for (let n = 0; n < 15; n++) {
      const head = requestBytes("POST", "/api/executions", {
        "X-API-Key": key,
        "Content-Length": String(parts.length * part.length),
      });
      const { answers, isReset } = await sendRawRequests(target, {
        pieces: [head, ...parts],
        methods: ["POST"],
        ending: "write first",
        patienceMs: 10_000,
      });
      const name = answers[0] ? String(answers[0].status) : isReset ? "reset" : "closed";
      told.set(name, (told.get(name) ?? 0) + 1);
    }
    return {
      figures: [...told].map(([name, n]) => `${name} x ${n}`).join(", "),
      failures: told.get("413") === 15 ? [] : ["not every client got 413"],
    };
  },

  "300 health checks from one address": async ({ target }) => {
    const statuses = new Map<number, number>();
    const headers = { "X-Forwarded-For": "203.0.113.10" };
    for (const path of ["/api/health", "/api/health/live", "/api/health/ready"])
      for (let n = 0; n < 300; n++) {
        const { status } = await sendOneRequest(target, { path, headers });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    return {
      figures: [...statuses].map(([status, n]) => `${status} x ${n}`).join(", "),
      failures: statuses.has(429) ? ["health was rate-limited"] : [],
    };
  },

  "spellings of an address that only the framework knows": async ({ target }) => {
    const told: string[] = [];
    for (const path of [
      "/_next/image?url=%2Fadmin&w=64&q=75",
      "/_next/image?url=%2Fdocs%2Freference&w=64&q=75",
      "/_next/data/x/terms.json",
      "/terms.rsc",
      "/terms.segments/_tree.segment.rsc",
    ])
      told.push(`${path} ${(await sendOneRequest(target, { path })).status}`);
    return { figures: told.join(", "), failures: told.filter((line) => !line.endsWith(" 404")) };
  },
};

/**
 * Runs all attack cases, or the named ones. Returns a line for each and, below it, its failures; the line of a failed
 * case begins with FAILED.
 */
export async function runAttackCases(
  access: AttackedService,
  names = Object.keys(ATTACK_CASES),
): Promise<string[]> {
  const lines: string[] = [];
  for (const name of names) {
    try {
      const result = await ATTACK_CASES[name]?.(access);
      const isKept = result?.failures.length === 0;
      lines.push(`${isKept ? "" : "FAILED "}${name}: ${result?.figures}`);
      if (!isKept) lines.push(...(result?.failures ?? []).map((failure) => `  ${failure}`));
    } catch (error) {
      lines.push(`FAILED ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return lines;
}

function requestBytes(method: string, path: string, headers: Record<string, string>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${fields.join("")}\r\n`, "latin1");
}

async function statusOf(target: ServerAddress, path: string): Promise<string> {
  return sendOneRequest(target, { path, patienceMs: PAGE_MS }).then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** Requests a cached page, two rendered per visitor, and a file. Returns lines such as "/terms 200 after 12 ms". */
async function checkPages({ target, cookie }: AttackedService): Promise<string[]> {
  const lines: string[] = [];
  for (const path of ["/terms", "/login?looked=1", "/portal", "/robots.txt"]) {
    const startedAt = performance.now();
    const headers: Record<string, string> = path === "/portal" ? { Cookie: cookie } : {};
    const told = await sendOneRequest(target, { path, headers, patienceMs: PAGE_MS }).then(
      ({ status }) => status,
      () => "no answer",
    );
    lines.push(`${path} ${told} after ${(performance.now() - startedAt).toFixed(0)} ms`);
  }
  return lines;
}

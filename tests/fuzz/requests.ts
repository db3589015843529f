import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { OPERATIONS } from "@/app/operations.generated";
import { normalizedPath } from "@/lib/server/api-app";
import { ErrorBody } from "@/lib/wire/contracts/shared";
import { type BenchService, startBenchService, startServiceAndWorker } from "@/tests/bench/service";
import { ADMIN_SECRET } from "@/tests/support/database";
import { Dice } from "@/tests/support/dice";
import { checkAgainstDocument, pathTemplateOf, SEEN_ANSWERS_FILE } from "@/tests/support/openapi-check";
import type { RunOptions } from "@/tests/support/run-named";
import { signInByForm } from "@/tests/support/sign-in";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { waitForSimulatedHistory } from "@/tests/support/wait-for-market";
import { type AttackedService, runAttackCases } from "./attack-cases";
import {
  checkPages,
  readServerResources,
  type ServerResources,
  sendOverOneConnection,
} from "./hostile-connections";
import { drawApiRequest, type FuzzRequest, type Secrets } from "./make-request";
import { type BrowserSecrets, drawSiteRequest, requestsForEachPage } from "./make-site-request";
import {
  type Answer,
  closeConnections,
  sendHalfRequest,
  sendMangledRequest,
  sendRequest,
} from "./send-request";

const WEBHOOK_SECRET = "fuzz-webhook-secret-0123456789";
const LANES = 4;
/** Timeout per answer, after which a lane continues: a long poll may last most of a minute. */
const LANE_MS = 1_000;
/** Threshold for slow answers. */
const SLOW_MS = 1_000;
/** Number of slow answers listed in a failure, and the length of their addresses. */
const SHOWN_SLOW = 40;
const SHOWN_TARGET = 120;
/** Requests between new sessions, because some requests sign out. */
const SESSION_REQUESTS = 500;
/** Requests between checks of every kind of page, the process and its resources. */
const LOOK_REQUESTS = 10_000;
/** Repetitions of a failed page check or sign-in on a shared machine. */
const PATIENT_LOOKS = 20;
/** Limit for HTTP server and page process together, in MB. */
const MAX_MB = 450;

export interface RequestRunOptions {
  seed: number;
  /** Limits; the first one reached ends the run. */
  mostMs: number;
  mostRequests: number;
  /** For a shared machine: slow answers, 503, failed attack cases and too much memory do not fail the run. */
  isPatient: boolean;
  /** Whether the service also runs the simulated market, which makes signals and trains models. */
  withMarket: boolean;
}

/**
 * A minute (or `--minutes`, or `--requests`) of random and hostile requests over every path and method of the built
 * server with a simulated market: API, pages, forms and files. None may hang or end in 5xx, except for degraded health,
 * every API answer must match the OpenAPI document, and none may leak a secret. The choices for request n depend on
 * seed + n only. SERVE_FROM names an unpacked archive to serve instead of this tree; FUZZ_PATIENT=1 marks a shared
 * machine. Returns the lines to print at the end.
 */
export function fuzzRequests({ seed, minutes, requests }: RunOptions): Promise<string[]> {
  const mostMs = (minutes ?? (requests === null ? 1 : 24 * 60)) * 60_000;
  return runRequests({
    seed,
    mostMs,
    mostRequests: requests ?? Number.POSITIVE_INFINITY,
    isPatient: process.env.FUZZ_PATIENT === "1",
    withMarket: true,
  });
}

/** Sends random and hostile requests to a new server within these limits. Returns the lines to print at the end. */
export async function runRequests(wanted: RequestRunOptions): Promise<string[]> {
  const start = wanted.withMarket ? startServiceAndWorker : startBenchService;
  // A separate folder, because other processes use the machine's folder for temporary files.
  const temporary = temporaryDirectory("signal-fuzz-");
  const service = await start({
    TMPDIR: temporary,
    MARKET_FEED: wanted.withMarket ? "demo" : "off",
    TRUST_PROXY_HOPS: "1",
    PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET,
    TUNING: "admin-failures=100000",
  });
  try {
    const run = new Run(service, { ...wanted, temporary });
    await run.prepare();
    await run.go();
    return run.figures();
  } finally {
    closeConnections();
    await service.stop();
  }
}

/** Plans, limits and scopes of the test keys with which the requests are sent. */
const TEST_KEYS = [
  { plan_tier: "pro", rate_limit_per_min: 100_000 },
  { plan_tier: "owner", rate_limit_per_min: 100_000 },
  { plan_tier: "basic", rate_limit_per_min: 100_000 },
  { plan_tier: "pro", rate_limit_per_min: 100_000, symbols_allowed: ["BTCUSD"], tfs_allowed: ["H1", "M15"] },
  { plan_tier: "pro", rate_limit_per_min: 100_000, symbols_allowed: [] },
  { plan_tier: "telegram", rate_limit_per_min: 5 },
] as const;

class Run {
  readonly #secrets: Secrets & BrowserSecrets & { keys: string[]; keyIds: number[]; cookies: string[] } = {
    keys: [],
    adminSecret: ADMIN_SECRET,
    webhookSecret: WEBHOOK_SECRET,
    keyIds: [],
    cookies: [],
    ids: [1, 2, 3, 4, 5, 6, 7, 999_999],
  };
  readonly #statuses = new Map<number, number>();
  readonly #durationsMs: number[] = [];
  /** Answers over a second, with their requests. */
  readonly #slow: string[] = [];
  #mangled = 0;
  #spoken = 0;
  #looks = 0;
  #slowestPageMs = 0;
  #held: ServerResources | null = null;
  #cases: string[] = [];
  #abandoned = 0;
  #next = 0;
  #toPages = 0;
  #ranMs = 0;
  #firstVisits = "";

  constructor(
    readonly service: BenchService,
    readonly wanted: RequestRunOptions & { temporary: string },
  ) {}

  async prepare(): Promise<void> {
    if (this.wanted.withMarket) await waitForSimulatedHistory(this.service.sql);
    for (const wish of TEST_KEYS) this.#secrets.keys.push((await this.#makeKey(wish)).key);
    const [revoked, expired, closing] = await Promise.all([{}, {}, {}].map((wish) => this.#makeKey(wish)));
    await this.service.sql`update api_keys set revoked_at = now() where id = ${revoked?.keyId ?? 0}`;
    await this.service
      .sql`update api_keys set expires_at = now() - interval '9 days' where id = ${expired?.keyId ?? 0}`;
    await this.service
      .sql`update api_keys set expires_at = now() - interval '1 hour' where id = ${closing?.keyId ?? 0}`;
    for (const made of [revoked, expired, closing]) if (made) this.#secrets.keys.push(made.key);
    await this.#signIn();
    if (!this.wanted.isPatient) await this.#visitPages();
    this.#cases = await runAttackCases(this.#access);
    const failed = this.#cases.filter((line) => line.startsWith("FAILED"));
    // Some cases time a visitor during an attack. A shared machine makes them late, which the figures then show.
    if (failed.length > 0 && !this.wanted.isPatient) throw new Error(this.#cases.join("\n"));
  }

  get #access(): AttackedService {
    return {
      target: { host: "127.0.0.1", port: this.service.server.port },
      key: this.#secrets.keys[0] ?? "",
      cookie: this.#secrets.cookies[0] ?? "",
    };
  }

  /** Loads every page once, because the first request is slower and measured separately. */
  async #visitPages(): Promise<void> {
    const [subscriber = "", administrator = ""] = this.#secrets.cookies;
    const visits = requestsForEachPage({ subscriber, administrator });
    let slowest = { ms: 0, target: "" };
    for (const visit of visits) {
      const { ms } = await sendRequest(this.service.server.port, visit);
      if (ms > slowest.ms) slowest = { ms, target: visit.target };
    }
    this.#firstVisits = `before that ${visits.length} pages and files for the first time, the slowest ${slowest.target} after ${slowest.ms.toFixed(0)} ms`;
  }

  /** Replaces the cookies: a new session of a subscriber and of an administrator, and two forged ones. */
  async #signIn(): Promise<void> {
    await this.#patiently(() => this.#openSessions());
  }

  async #openSessions(): Promise<void> {
    const { key } = await this.#makeKey(TEST_KEYS[0]);
    const { url } = this.service.server;
    this.#secrets.cookies = [
      await signInByForm(url, "/login/by-key", { api_key: key }),
      await signInByForm(url, "/admin/sign-in/enter", { secret: ADMIN_SECRET }),
      "next-auth.session-token=forged",
      "admin_session=forged",
    ];
  }

  async #makeKey(wish: object): Promise<{ keyId: number; key: string }> {
    const answer = await fetch(`${this.service.server.url}/admin/keys`, {
      method: "POST",
      headers: { "X-Admin-Secret": ADMIN_SECRET },
      body: JSON.stringify({ user_name: "Fuzz", ...wish }),
    });
    const { key_id: keyId, api_key: key } = await answer.json();
    return { keyId, key };
  }

  async go(): Promise<void> {
    const startedAt = performance.now();
    this.#startedAt = startedAt;
    const { seed, mostMs, mostRequests } = this.wanted;
    const open = new Set<Promise<void>>();
    const failures: unknown[] = [];
    const lane = async () => {
      while (performance.now() - startedAt < mostMs && this.#next < mostRequests && failures.length === 0) {
        if (this.#next % SESSION_REQUESTS === 0 && this.#next > 0) await this.#signIn();
        if (this.#next % LOOK_REQUESTS === LOOK_REQUESTS - 1)
          await this.#look().catch((error: unknown) => void failures.push(error));
        const one = this.#one(seed + this.#next++).catch((error: unknown) => void failures.push(error));
        open.add(one);
        const patience = new AbortController();
        await Promise.race([
          one.then(() => open.delete(one)),
          pause(LANE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
        ]);
        patience.abort();
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (failures.length > 0) throw failures[0];
    // Aborts pending long polls, as clients do.
    this.#abandoned += open.size;
    closeConnections();
    await Promise.all(open);
    await this.#look();
    this.#ranMs = performance.now() - startedAt;
    await this.#readLog();
  }

  async #one(seed: number): Promise<void> {
    const dice = new Dice(seed);
    const kind = dice.below(100);
    const isToPage = dice.chance(0.3);
    if (isToPage) this.#toPages++;
    const request = isToPage ? drawSiteRequest(dice, this.#secrets) : drawApiRequest(dice, this.#secrets);
    try {
      // The answer to CONNECT is not a tunnel, which Node's client requires.
      if (kind >= 7 && kind < 17) await this.#speak(request, dice);
      else if (kind < 5 || request.method === "CONNECT") await this.#mangle(request, dice);
      else if (kind < 7) await this.#abandon(request);
      else await this.#ask(request, isToPage);
    } catch (error) {
      const shown = { ...request, body: request.body?.toString("latin1").slice(0, 4_000) ?? null };
      throw new Error(`request of seed ${seed}: ${JSON.stringify(shown)}`, { cause: error });
    }
  }

  async #ask(request: FuzzRequest, isToPage: boolean): Promise<void> {
    const held = this.#secrets.keys.slice();
    const answer = await sendRequest(this.service.server.port, request);
    if (!request.target.includes("wait=")) {
      this.#durationsMs.push(answer.ms);
      if (answer.ms > SLOW_MS)
        this.#slow.push(
          `${answer.ms.toFixed(0)} ms ${request.method} ${request.target.slice(0, SHOWN_TARGET)} ${answer.status}`,
        );
    }
    this.#statuses.set(answer.status, (this.#statuses.get(answer.status) ?? 0) + 1);
    if (!pathOf(request).startsWith("/api/health") && this.#isBusy(answer.status)) return;
    judge(request, answer, isToPage);
    if (held.some((key) => answer.text.includes(key))) throw new Error("reveals a key");
    await this.#follow(request, answer);
  }

  /** Keeps the lists current: adds the id of a created key, and replaces a rotated key by the new one. */
  async #follow(request: FuzzRequest, answer: Answer): Promise<void> {
    if (answer.status === 201 && answer.text.startsWith('{"key_id":')) {
      const { key_id } = JSON.parse(answer.text);
      this.#secrets.keyIds.push(key_id);
    }
    const at = this.#secrets.keys.indexOf(request.headers["X-API-Key"] ?? "");
    if (at < 0 || !answer.text.startsWith('{"ok":true,"key_id":')) return;
    const rotated = /"api_key":"([0-9a-f-]{36})"/.exec(answer.text)?.[1];
    if (rotated) this.#secrets.keys[at] = rotated;
  }

  /** Counts a 503 on a shared machine, where it is allowed. Returns whether the answer was one. */
  #isBusy(status: number | null): boolean {
    if (status !== 503 || !this.wanted.isPatient) return false;
    this.#nBusy++;
    return true;
  }

  #nBusy = 0;

  async #mangle(request: FuzzRequest, dice: Dice): Promise<void> {
    this.#mangled++;
    const { status, text } = await sendMangledRequest(this.service.server.port, request, dice);
    // The answer of degraded health is not an error, even when changed bytes led there.
    const isHealth = pathOf(request).startsWith("/api/health") || text.includes('{"status":"degraded"');
    if (status !== null && status >= 500 && !isHealth && !this.#isBusy(status))
      throw new Error(text.slice(0, 500));
  }

  async #speak(request: FuzzRequest, dice: Dice): Promise<void> {
    this.#spoken++;
    const isHealth = request.target.includes("health");
    const statuses = await sendOverOneConnection(this.#access, request, dice);
    const failed = statuses.find(
      (status) => status >= 500 && !(status === 503 && isHealth) && !this.#isBusy(status),
    );
    if (failed !== undefined) throw new Error(`answered ${failed}`);
  }

  /** Requests every kind of page and reads the server's resources. Throws if they exceed their limits. */
  async #look(): Promise<void> {
    await this.#signIn();
    this.#looks++;
    const slowestMs = await this.#patiently(() => checkPages(this.#access));
    this.#slowestPageMs = Math.max(this.#slowestPageMs, slowestMs);
    const held = readServerResources(this.service.server.pid, this.wanted.temporary);
    // With the simulated market, memory depends on the machine: Node collects garbage later where there is more of it.
    if (held.memoryMb > MAX_MB && !this.wanted.isPatient && !this.wanted.withMarket)
      throw new Error(`HTTP server and page process use ${held.memoryMb.toFixed(0)} MB`);
    if (this.#held && held.temporaryFiles > this.#held.temporaryFiles)
      throw new Error(
        `${held.temporaryFiles} temporary files, ${this.#held.temporaryFiles} at the first check`,
      );
    this.#held ??= held;
    this.#last = held;
    this.#mostMemoryMb = Math.max(this.#mostMemoryMb, held.memoryMb);
    process.stdout.write(
      `${this.#next} requests after ${((performance.now() - this.#startedAt) / 1000).toFixed(0)} s: ${held.httpServerMb.toFixed(0)} MB HTTP server, ${(held.memoryMb - held.httpServerMb).toFixed(0)} MB page process, ${held.sockets} sockets, ${this.#nBusy} x 503\n`,
    );
  }

  #last: ServerResources | null = null;
  #mostMemoryMb = 0;
  #startedAt = 0;

  /** Repeats a failed visit up to 20 times on a shared machine, where the server may be busy; otherwise tries once. */
  async #patiently<T>(visit: () => Promise<T>): Promise<T> {
    for (let again = this.wanted.isPatient ? PATIENT_LOOKS : 0; ; again--) {
      try {
        return await visit();
      } catch (error) {
        if (again === 0) throw error;
        await pause(LANE_MS);
      }
    }
  }

  async #abandon(request: FuzzRequest): Promise<void> {
    this.#abandoned++;
    await sendHalfRequest(this.service.server.port, request);
  }

  /** Checks the log line by line, because the log of a long run may not fit into one string. */
  async #readLog(): Promise<void> {
    const secrets = [...this.#secrets.keys, ADMIN_SECRET, WEBHOOK_SECRET];
    const check = (line: string) => {
      if (line === "") return;
      if (line.startsWith("{") && !isJson(line))
        throw new Error(`a line of the log is not JSON: ${line.slice(0, 300)}`);
      if (/"level":"(?:error|fatal)"/.test(line)) throw new Error(`the service recorded a defect: ${line}`);
      if (secrets.some((secret) => line.includes(secret))) throw new Error("the log contains a secret");
    };
    for (const line of this.service.server.output().split("\n")) check(line);
    const file = join(process.env.TEST_DIRECTORY ?? "", "service.log");
    if (existsSync(file)) for await (const line of createInterface(createReadStream(file))) check(line);
  }

  figures(): string[] {
    const sorted = this.#durationsMs.sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    const statuses = [...this.#statuses].sort((a, b) => a[0] - b[0]);
    const answered = documentedAnswersSeen();
    const silent = OPERATIONS.filter(({ id, ok }) => !answered.has(`${id} ${ok.status}`)).map(({ id }) => id);
    const slow = this.#slow.length;
    const [first, last] = [this.#held, this.#last];
    const lines = [
      ...this.#cases,
      `${this.#next} requests in ${(this.#ranMs / 1000).toFixed(0)} s, ${this.#toPages} of them to pages, forms and files, ${this.#mangled} mangled bytes, ${this.#spoken} by raw sockets, ${this.#abandoned} abandoned midway`,
      `${this.#looks} checks of every kind of page, the slowest ${this.#slowestPageMs.toFixed(0)} ms; memory ${first?.memoryMb.toFixed(0)} MB at the first, ${last?.memoryMb.toFixed(0)} MB at the last, ${this.#mostMemoryMb.toFixed(0)} MB at most; sockets ${first?.sockets} and ${last?.sockets}`,
      ...(this.#firstVisits ? [this.#firstVisits] : []),
      `answers ${statuses.map(([status, n]) => `${status} x ${n}`).join(", ")}`,
      `no 5xx but of /api/health${this.#nBusy > 0 ? ` and ${this.#nBusy} x 503 of a busy machine` : ""}, ${slow} over ${SLOW_MS} ms (median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(0.999999)} ms), every answer as documented`,
      `${answered.size} pairs of operation and status seen; never answered with success: ${silent.join(", ") || "none"}`,
    ];
    if (slow > 0 && !this.wanted.isPatient)
      throw new Error(
        [
          ...lines,
          `${slow} of ${sorted.length} took over ${SLOW_MS} ms:`,
          ...this.#slow.slice(0, SHOWN_SLOW),
        ].join("\n"),
      );
    return lines;
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** The path that a request resolves to, however its target is spelled. */
const pathOf = ({ target }: FuzzRequest) => normalizedPath(new URL(`http://localhost${target}`).pathname);

/**
 * Throws if an answer reveals a secret or a source path. An API answer must also match the OpenAPI document; any other
 * answer must not be a 5xx.
 */
function judge(request: FuzzRequest, answer: Answer, isToPage: boolean): void {
  const shown = `${answer.status} ${answer.text.slice(0, 500)}`;
  for (const secret of [ADMIN_SECRET, WEBHOOK_SECRET])
    if (answer.text.includes(secret)) throw new Error(`reveals a secret: ${shown}`);
  if (/node_modules|\bat .+\.[jt]s:\d+/.test(answer.text)) throw new Error(`reveals a source path: ${shown}`);
  const path = pathOf(request);
  const isInterface = /^\/(?:api|webhooks)(?:\/|$)|^\/admin\/|^\/openapi\.json$/.test(path);
  if (!isInterface || (isToPage && pathTemplateOf(path) === null)) {
    if (answer.status >= 500) throw new Error(shown);
    if (answer.status >= 400 && answer.json !== null) ErrorBody.parse(answer.json);
    return;
  }
  if (!answer.headers.get("x-request-id")) throw new Error(`has no request id: ${shown}`);
  // Requests refused by the HTTP parser never reach an operation.
  if (answer.status === 431 || answer.status === 400) {
    if (request.method !== "HEAD") ErrorBody.parse(answer.json);
    return;
  }
  const query = request.target.indexOf("?");
  checkAgainstDocument(request.method, query < 0 ? path : path + request.target.slice(query), answer);
}

/** `operation status` of every documented answer received. */
function documentedAnswersSeen(): Set<string> {
  const file = join(process.env.TEST_DIRECTORY ?? "", SEEN_ANSWERS_FILE);
  return new Set(existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
}

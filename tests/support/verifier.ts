import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { GET as wellKnown } from "@/app/.well-known/signal-ledger/route";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";

const verifier = fileURLToPath(new URL("../../public/verify/verify.mjs", import.meta.url));

export interface VerifierResult {
  code: number;
  text: string;
}

type Change = (path: string, text: string) => string | null | Promise<string | null>;

export interface Verifier {
  /** Address of the API. */
  base(): string;
  /** Runs the verifier with command-line options; `daysOn` sets its clock ahead by that many days. */
  verify(options?: string[], daysOn?: number): Promise<VerifierResult>;
  /** Runs the verifier while `change` replaces the text of each answer; null breaks the connection off. */
  verifyWith(change: Change, daysOn?: number): Promise<VerifierResult>;
  /** Number of next requests that get 429; each of them reduces it by one. */
  refusals: number;
}

/** Serves the API of this process on loopback during the tests of a file, for runs of the published verifier. */
export function useVerifier(): Verifier {
  const app = apiApp(MOUNTS);
  let server: Server;
  let base = "";
  /** Each verification uses a fresh address, so that rate limits do not apply. */
  let runs = 0;
  let change: Change = (_path, text) => text;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const path = request.url ?? "/";
      if (found.refusals > 0) {
        found.refusals--;
        response.writeHead(429, { "Retry-After": "1" }).end();
        return;
      }
      const headers = new Headers({ "x-client-address": `192.0.2.${runs}` });
      const key = request.headers["x-api-key"];
      if (typeof key === "string") headers.set("x-api-key", key);
      const answer = path.startsWith("/.well-known/")
        ? await wellKnown()
        : await app.fetch(new Request(`http://localhost${path}`, { headers }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      const text = await change(path, await answer.text());
      if (text === null) response.destroy();
      else response.end(text);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  });
  afterAll(() => server.close());

  function verify(options: string[] = [], daysOn = 0): Promise<VerifierResult> {
    runs++;
    // Its pauses are twenty times shorter.
    const clock = `import { syncBuiltinESMExports } from "node:module"; import timers from "node:timers/promises";
      const wait = timers.setTimeout; timers.setTimeout = (ms) => wait(ms / 20); syncBuiltinESMExports();
      const now = Date.now; Date.now = () => now() + ${daysOn} * 86400000;`;
    const preload = ["--import", `data:text/javascript,${encodeURIComponent(clock)}`];
    return new Promise((done) => {
      execFile(process.execPath, [...preload, verifier, base, ...options], (error, stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : 0, text: stdout + stderr });
      });
    });
  }

  const found: Verifier = {
    base: () => base,
    verify,
    refusals: 0,
    async verifyWith(changed, daysOn = 0) {
      change = changed;
      const verified = await verify([], daysOn);
      change = (_path, text) => text;
      return verified;
    },
  };
  return found;
}

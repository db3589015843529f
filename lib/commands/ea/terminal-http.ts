import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { setTimeout as pause } from "node:timers/promises";

export interface TerminalAnswer {
  status: number;
  body: string;
  headers: Headers;
}

export interface TerminalSettings {
  /** Address of the service as a subscriber enters it, with or without a trailing slash. */
  InpApiUrl: string;
  InpApiKey: string;
  timeoutMs: number;
  /** Share of lost answers: the server processed the request, but the client gets no answer. */
  lostAnswers: number;
  /** Random number in 0..1; injected so that a run is reproducible. */
  random: () => number;
}

const RETRYABLE = new Set([408, 429, 500, 502, 503, 504]);
const MAX_ATTEMPTS = 8;

/**
 * HTTP as a MetaTrader terminal does it: form content type for every body, a trailing zero byte after the JSON,
 * addresses joined with an extra slash, one connection at a time, and a timeout of a few seconds.
 */
export class TerminalHttp {
  readonly counts = { requests: 0, retries: 0, lost: 0 };

  constructor(readonly settings: TerminalSettings) {}

  /**
   * Sends a request, up to eight times if there is no answer or its status is 408, 429, 500, 502, 503 or 504; then throws.
   */
  async send(method: "GET" | "POST", path: string, json?: string): Promise<TerminalAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(method, path, json).catch(() => null);
      const wait = answer === null ? 0.2 * attempt : RETRYABLE.has(answer.status) ? answer.retryAfter : null;
      if (answer !== null && wait === null) return answer;
      if (attempt === MAX_ATTEMPTS) throw new Error(`no answer from ${path} after ${attempt} attempts`);
      this.counts.retries++;
      await pause(Math.max(50, (wait ?? 1) * 1000));
    }
  }

  #once(method: string, path: string, json?: string): Promise<TerminalAnswer & { retryAfter: number }> {
    this.counts.requests++;
    const { InpApiUrl, InpApiKey, timeoutMs } = this.settings;
    const body = json === undefined ? undefined : Buffer.from(`${json}\0`, "latin1");
    const send = InpApiUrl.startsWith("https:") ? secureRequest : request;
    return new Promise((done, fail) => {
      const sent = send(
        `${InpApiUrl}/${path}`,
        {
          method,
          timeout: timeoutMs,
          headers: {
            Accept: "*/*",
            "Accept-Encoding": "gzip, deflate",
            "Accept-Language": "en",
            "User-Agent": "MetaTrader 5 Terminal/5.5260 (Windows NT 10.0.19045; x64)",
            "X-API-KEY": ` ${InpApiKey.toUpperCase()} `,
            ...(body
              ? { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": body.length }
              : {}),
          },
        },
        (response) => {
          if (this.settings.random() < this.settings.lostAnswers) {
            this.counts.lost++;
            response.destroy();
            fail(new Error("the answer was lost"));
            return;
          }
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", fail);
          response.on("end", () =>
            done({
              status: response.statusCode ?? 0,
              body: Buffer.concat(chunks).toString("utf8"),
              // Node gives each header as one text, except Set-Cookie, which the API does not send.
              headers: new Headers(response.headers as Record<string, string>),
              retryAfter: Number(response.headers["retry-after"] ?? 1),
            }),
          );
        },
      );
      sent.on("timeout", () => sent.destroy(new Error("timed out")));
      sent.on("error", fail);
      sent.end(body);
    });
  }
}

/** `2026.11.21 05:07:00`, as TimeToString writes it. */
export function terminalTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll("-", ".").replace("T", " ");
}

import { randomUUID } from "node:crypto";
import { Agent, request } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { signBody } from "@/lib/payments/signature";
import { paymentEvent, toBytes } from "@/tests/support/payments";

/** A site that a proxy on this machine serves over TLS: the proxy's port, the host name and the certificate (PEM). */
export interface Site {
  port: number;
  name: string;
  certificate: string;
}

export interface Reply {
  status: number;
  text: string;
}

/** Sends requests to a site over TLS under its host name, with kept-alive connections. */
export class SiteClient {
  readonly #agent: Agent;

  constructor(readonly site: Site) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: 32, ca: site.certificate, servername: site.name });
  }

  ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer,
  ): Promise<Reply> {
    return new Promise((done, fail) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.site.port,
          method,
          path,
          agent: this.#agent,
          headers: { Host: this.site.name, ...headers },
          timeout: 70_000,
        },
        (answer) => {
          const pieces: Buffer[] = [];
          answer.on("data", (piece: Buffer) => pieces.push(piece));
          answer.on("end", () =>
            done({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() }),
          );
          answer.on("error", fail);
        },
      );
      sent.on("timeout", () => sent.destroy(new Error("no answer")));
      sent.on("error", fail);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Counts requests and keeps the tickets and invoices whose requests were acknowledged. */
export class Tally {
  asked = 0;
  retried = 0;
  readonly failed: string[] = [];
  /** Tickets whose report got 200 or 201. */
  readonly tickets = new Set<number>();
  /** Invoices whose delivery got 200 or 201. */
  readonly invoices = new Set<string>();

  toString(): string {
    return (
      `${this.asked} requests, ${this.retried} successful at one retry, ${this.failed.length} failed, ` +
      `${this.tickets.size} reports and ${this.invoices.size} payments acknowledged`
    );
  }
}

const RETRY_AFTER_MS = 200;

/**
 * Sends polls, reports, page requests and payments alternately until `signal` aborts, and repeats a failed one once.
 * `first` is the first ticket.
 */
export async function callUntilStopped(
  caller: SiteClient,
  first: number,
  { key, webhookSecret }: { key: string; webhookSecret: string },
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const turn = TURNS[n % TURNS.length] ?? "poll";
    const ticket = first + n;
    const invoice = `inv-${randomUUID()}`;
    const delivery = toBytes(paymentEvent({ id: invoice }));
    const ask: Record<Turn, () => Promise<Reply>> = {
      poll: () => caller.ask("GET", "/api/scan", { "X-API-Key": key }),
      page: () => caller.ask("GET", n % 2 ? "/" : "/docs", { Accept: "text/html" }),
      report: () =>
        caller.ask(
          "POST",
          "/api/executions",
          { "X-API-Key": key },
          JSON.stringify({ ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 }),
        ),
      payment: () =>
        caller.ask(
          "POST",
          "/webhooks/payment",
          { "x-signature": signBody(delivery, webhookSecret) },
          Buffer.from(delivery),
        ),
    };
    tally.asked++;
    let answer = await ask[turn]().catch(() => LOST);
    if (!isRight(answer)) {
      await pause(RETRY_AFTER_MS);
      answer = await ask[turn]().catch(() => LOST);
      if (isRight(answer)) tally.retried++;
    }
    if (!isRight(answer)) tally.failed.push(`${turn}: ${answer.status}`);
    else if (turn === "report") tally.tickets.add(ticket);
    else if (turn === "payment") tally.invoices.add(invoice);
    await pause(5);
  }
}

const TURNS = ["poll", "report", "poll", "page", "poll", "report", "poll", "payment"] as const;
type Turn = (typeof TURNS)[number];

const LOST: Reply = { status: 0, text: "" };
const isRight = ({ status }: Reply) => status === 200 || status === 201;

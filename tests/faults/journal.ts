import type postgres from "postgres";

/** A client that opens and closes positions one after the other and writes down what was acknowledged. */
export class JournalledClient {
  readonly opened = new Set<string>();
  readonly closed = new Map<string, string>();
  /** Tickets for which a second answer said `created` again. */
  readonly doubled: string[] = [];
  unanswered = 0;
  /** Most attempts in a row that one report needed beyond the first. */
  mostRepeats = 0;
  #ticket = 1;
  #running = true;
  #done: Promise<void> = Promise.resolve();

  constructor(
    /** Where to send a report; `turn` moves on by one with each attempt. */
    readonly address: (turn: number) => string,
    readonly key: string,
  ) {}

  start(): void {
    this.#done = this.#trade();
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #trade(): Promise<void> {
    while (this.#running) {
      const ticket = String(this.#ticket++);
      const opening = { ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: "1.1" };
      if (await this.#report(ticket, opening)) this.opened.add(ticket);
      const pnl = `${this.#ticket % 7}.25`;
      const closing = { ...opening, closed_at: "2026-11-20T10:00:00Z", exit_price: "1.2", pnl, result: "TP" };
      if (await this.#report(ticket, closing)) this.closed.set(ticket, pnl);
    }
  }

  /** Repeats until acknowledged, as a careful client does; gives up only when it is told to stop. */
  async #report(ticket: string, body: object): Promise<boolean> {
    for (let repeats = 0; ; repeats++) {
      this.mostRepeats = Math.max(this.mostRepeats, repeats);
      const answer = await fetch(`${this.address(Number(ticket) + repeats)}/api/executions`, {
        method: "POST",
        headers: { "X-API-Key": this.key },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null);
      if (answer?.status === 201) {
        const { action } = await answer.json();
        if (action === "created" && this.opened.has(ticket)) this.doubled.push(ticket);
        return true;
      }
      if (answer && answer.status < 500 && answer.status !== 429)
        throw new Error(`refused: ${await answer.text()}`);
      this.unanswered++;
      if (!this.#running) return false;
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** Holds the journal against the table. Throws on the first thing lost, changed or doubled. */
  async judge(sql: postgres.Sql, subscriptionId: number): Promise<void> {
    const rows = await sql<{ ticket: string; pnl: string | null }[]>`
      select ticket::text, pnl::text from executions where subscription_id = ${subscriptionId}`;
    const stored = new Map(rows.map((row) => [row.ticket, row.pnl]));
    if (stored.size !== rows.length) throw new Error("a ticket stands in the table twice");
    for (const ticket of this.opened) if (!stored.has(ticket)) throw new Error(`opening ${ticket} was lost`);
    for (const [ticket, pnl] of this.closed) {
      if (stored.get(ticket) !== pnl)
        throw new Error(`closing ${ticket} was lost: ${stored.get(ticket)} for ${pnl}`);
    }
    if (this.doubled.length > 0) throw new Error(`created twice: ${this.doubled.join(", ")}`);
  }
}

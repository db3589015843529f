import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** A request that the EA sent. */
export interface SentRequest {
  method: string;
  url: string;
  headers: string;
  body: string;
}

/** The answer to a request of the EA; null: no answer arrives. */
export type ReceivedAnswer = { status: number; headers: Headers; text: string } | null;

export interface Order {
  buys: boolean;
  price: number;
  volume: number;
  stop: number;
  target: number;
  magic: number;
  /** Symbol in the broker's spelling. */
  symbol: string;
  comment: string;
}

/** What the EA did during one command. */
export interface TerminalEvents {
  sent: SentRequest[];
  orders: Order[];
  printed: string[];
  chart: string | null;
  timerSeconds: number | null;
}

/** A running simulated terminal with an EA of the kit on a chart of BTCUSDm. `answer` answers the EA's requests. */
export class SimulatedTerminal {
  private readonly child: ChildProcess;
  private readonly input: Writable;
  private readonly lines: AsyncIterator<string>;
  private complaints = "";

  constructor(
    program: string,
    private readonly answer: (sent: SentRequest) => Promise<ReceivedAnswer>,
  ) {
    const child = spawn(program, { stdio: "pipe" });
    this.child = child;
    this.input = child.stdin;
    this.lines = linesOf(child.stdout);
    child.stderr.on("data", (text) => {
      this.complaints += text;
    });
  }

  /** Runs one command of terminal.cpp and returns when it is done. */
  async do(command: string): Promise<TerminalEvents> {
    const events: TerminalEvents = { sent: [], orders: [], printed: [], chart: null, timerSeconds: null };
    this.input.write(`${command}\n`);
    for (;;) {
      const [word, rest] = split(await this.line());
      if (word === "done") return events;
      if (word === "request") await this.exchange(rest, events);
      if (word === "order") events.orders.push(JSON.parse(rest));
      if (word === "printed") events.printed.push(JSON.parse(rest));
      if (word === "chart") events.chart = JSON.parse(rest);
      if (word === "timer") events.timerSeconds = Number(rest);
    }
  }

  /** Runs commands and returns the events of the last one. */
  async run(...commands: string[]): Promise<TerminalEvents> {
    let events: TerminalEvents | undefined;
    for (const command of commands) events = await this.do(command);
    if (!events) throw new Error("no command");
    return events;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, "exit");
    this.input.end();
    await ended;
  }

  private async exchange(line: string, events: TerminalEvents): Promise<void> {
    const [method, url] = split(line);
    const headers: string = JSON.parse(await this.line());
    const sent = { method, url, headers, body: JSON.parse(await this.line()) };
    events.sent.push(sent);
    const received = await this.answer(sent);
    const head = [...(received?.headers ?? [])].map(([name, value]) => `${name}: ${value}`).join("|");
    this.input.write(`${received?.status ?? 0}\n${head}\n${received?.text ?? ""}\n`);
  }

  private async line(): Promise<string> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`the terminal stopped: ${this.complaints}`);
    return value;
  }
}

function linesOf(stream: Readable): AsyncIterator<string> {
  return createInterface({ input: stream })[Symbol.asyncIterator]();
}

function split(line: string): [word: string, rest: string] {
  const at = line.indexOf(" ");
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
}

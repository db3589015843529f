/**
 * The processes that serve one port together (WEB_PROCESSES). The first of them starts the others, answers no request
 * and counts what must be counted once; each of the others is a complete server. Without any of that a process is alone,
 * and whatever is asked here is answered on the spot.
 */
import cluster from "node:cluster";
import { processWide } from "./process-wide";

type Answerer = (...args: never[]) => unknown;

/** What this process answers to the others, by name. */
const answerers = () => processWide("process-answerers", () => new Map<string, Answerer>());

/** Longest wait for the figures of the other processes. One that does not answer is left out. */
const EACH_WAITS_MS = 2_000;

interface Message {
  sds: "processes";
  asks: { id: number; name: string; args: unknown[] }[];
  answers: { id: number; value: unknown }[];
}

/** One end of the channel between two processes. What is asked within one turn of the loop goes in one message. */
export class Line {
  readonly #waiting = new Map<number, (value: unknown) => void>();
  #outgoing: Message = { sds: "processes", asks: [], answers: [] };
  #isPlanned = false;
  #nextId = 1;

  constructor(
    readonly send: (message: unknown) => void,
    readonly answer: (name: string, args: unknown[]) => unknown,
  ) {}

  ask(name: string, args: unknown[]): Promise<unknown> {
    return new Promise((done) => {
      const id = this.#nextId++;
      this.#waiting.set(id, done);
      this.#outgoing.asks.push({ id, name, args });
      this.#plan();
    });
  }

  /** A message from the other end; anything else that comes over the channel is not for us. */
  hear(message: unknown): void {
    if (!isOurs(message)) return;
    for (const { id, value } of message.answers) {
      this.#waiting.get(id)?.(value);
      this.#waiting.delete(id);
    }
    for (const { id, name, args } of message.asks) this.#reply(id, this.answer(name, args));
  }

  /** The other end is gone: what was asked of it has no answer. */
  close(): void {
    for (const done of this.#waiting.values()) done(undefined);
    this.#waiting.clear();
  }

  #reply(id: number, value: unknown): void {
    if (value instanceof Promise) {
      value.then(
        (settled) => this.#reply(id, settled),
        () => this.#reply(id, undefined),
      );
      return;
    }
    this.#outgoing.answers.push({ id, value });
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      const message = this.#outgoing;
      this.#outgoing = { sds: "processes", asks: [], answers: [] };
      this.send(message);
    });
  }
}

/** Looked at cheaply: both ends are this program, and each request sends one. */
function isOurs(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "sds" in message && message.sds === "processes";
}

/** What this process answers under a name; undefined for a name that it has not loaded. */
export function answerHere(name: string, args: unknown[]): unknown {
  const answer = answerers().get(name);
  // Who asks by a name passes what its answerer takes: `atFirst` and `inEach` make both.
  return answer?.(...(args as never[]));
}

/** The line to the first process; null in a process that is alone, and in the first one itself. */
function lineToFirst(): Line | null {
  if (!cluster.isWorker) return null;
  return processWide("process-line", () => {
    const line = new Line(
      (message) => process.send?.(message, undefined, undefined, () => undefined),
      answerHere,
    );
    process.on("message", (message) => line.hear(message));
    return line;
  });
}

/** Listens to the others from the start on, before this process has asked anything. */
export function joinProcesses(): void {
  lineToFirst();
}

/** Makes a function that runs in the first process, for what is counted once; in a process that is alone it runs here. */
export function atFirst<A extends unknown[], T>(name: string, answer: (...args: A) => T) {
  answerers().set(name, answer);
  return (...args: A): T | Promise<T> => {
    const line = lineToFirst();
    // The first process answers with the same function.
    return line === null ? answer(...args) : (line.ask(name, args) as Promise<T>);
  };
}

/** The question that the first process hands on to the others of a process. */
export const TO_OTHERS = "others";

/** Makes a function that runs in each web process, this one first: what was counted in each can then be put together. */
export function inEach<A extends unknown[], T>(name: string, answer: (...args: A) => T | Promise<T>) {
  answerers().set(name, answer);
  return async (...args: A): Promise<T[]> => {
    const line = lineToFirst();
    if (line === null) return [await answer(...args)];
    // Each of them answers with the same function.
    const others = (line.ask(TO_OTHERS, [name, args]) as Promise<T[] | undefined>).then((all) => all ?? []);
    const [own, rest] = await Promise.all([answer(...args), others]);
    return [own, ...rest];
  };
}

/** What these processes answer, without those that do not in time. */
export async function askEach(lines: readonly Line[], name: string, args: unknown[]): Promise<unknown[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), EACH_WAITS_MS);
  });
  const answers = await Promise.all(lines.map((line) => Promise.race([line.ask(name, args), late])));
  clearTimeout(timer);
  return answers.filter((answer) => answer !== undefined);
}

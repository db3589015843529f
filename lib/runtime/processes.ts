/**
 * Those that serve one port together: the processes of WEB_PROCESSES, and in each of them the thread that makes pages. The
 * first process starts the others, answers no request and counts what must be counted once; each of the others is a
 * complete server. Without any of that a process is alone, and whatever is asked here is answered on the spot.
 */
import cluster from "node:cluster";
import type { MessagePort, Worker } from "node:worker_threads";
import { processWide } from "./process-wide";

interface Answerer {
  answer(...args: never[]): unknown;
  /** The thread that makes pages has a part of it too. */
  isOfThread: boolean;
}

/** What is answered here to the others, by name. */
const answerers = () => processWide("process-answerers", () => new Map<string, Answerer>());

/** Longest wait for the figures of the other processes. One that does not answer is left out. */
const EACH_WAITS_MS = 2_000;
/** And for those of a process's own thread: shorter, so that the process itself still answers in time. */
const BELOW_WAITS_MS = 1_000;

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

/** What is answered here under a name; undefined for a name that nobody here has loaded. */
export function answerHere(name: string, args: unknown[]): unknown {
  // Who asks by a name passes what its answerer takes: the functions below make both.
  return answerers()
    .get(name)
    ?.answer(...(args as never[]));
}

/** The lines of this thread: to whoever stands for the port, and to the thread that makes its pages. */
interface Lines {
  up: Line | null;
  below: Line | null;
  isPagesThread: boolean;
}

const lines = (): Lines =>
  processWide("process-lines", () => ({
    up: cluster.isWorker ? lineToFirst() : null,
    below: null,
    isPagesThread: false,
  }));

/** Whether this is the thread that makes pages. */
export const isPagesThread = (): boolean => lines().isPagesThread;

/** From one of several processes to the first of them. */
function lineToFirst(): Line {
  const line = new Line(
    (message) => process.send?.(message, undefined, undefined, () => undefined),
    answerHereAndBelow,
  );
  process.on("message", (message) => line.hear(message));
  return line;
}

/** Listens to the others from the start on, before this process has asked anything. */
export function joinProcesses(): void {
  lines();
}

/** The same in the thread that makes pages. `own` is what it answers beside what was counted in it. */
export function joinAsPagesThread(port: MessagePort, own: Record<string, Answerer["answer"]>): void {
  for (const [name, answer] of Object.entries(own)) answerers().set(name, { answer, isOfThread: true });
  const line = new Line((message) => port.postMessage(message), answerHere);
  port.on("message", (message) => line.hear(message));
  Object.assign(lines(), { up: line, isPagesThread: true });
}

/** Answers the thread that makes pages from now on, until it ends. Returns the line to it. */
export function answerThread(thread: Worker): Line {
  const line = new Line((message) => thread.postMessage(message), answerBelow);
  thread.on("message", (message: unknown) => line.hear(message));
  lines().below = line;
  thread.once("exit", () => {
    line.close();
    if (lines().below === line) lines().below = null;
  });
  return line;
}

/** The first process asks a web process for the figures of all its threads. */
async function answerHereAndBelow(name: string, args: unknown[]): Promise<unknown[]> {
  const [own, below] = await Promise.all([answerHere(name, args), askBelow(name, args)]);
  return [own, ...below].filter(isAnswer);
}

/** To its thread a process stands for all of the port. */
function answerBelow(name: string, args: unknown[]): unknown {
  const { up } = lines();
  if (name !== TO_OTHERS) return up === null ? answerHere(name, args) : up.ask(name, args);
  const [asked, given] = args;
  return askOthers(up, String(asked), Array.isArray(given) ? given : []);
}

async function askOthers(up: Line | null, name: string, args: unknown[]): Promise<unknown[]> {
  const [own, others] = await Promise.all([answerHere(name, args), up?.ask(TO_OTHERS, [name, args])]);
  return [own, ...(Array.isArray(others) ? others : [])].filter(isAnswer);
}

async function askBelow(name: string, args: unknown[]): Promise<unknown[]> {
  const { below } = lines();
  if (below === null || !answerers().get(name)?.isOfThread) return [];
  return askEach([below], name, args, BELOW_WAITS_MS);
}

/** Makes a function that runs in the first process, for what is counted once; in a process that is alone it runs here. */
export function atFirst<A extends unknown[], T>(name: string, answer: (...args: A) => T) {
  answerers().set(name, { answer, isOfThread: false });
  return (...args: A): T | Promise<T> => {
    const { up } = lines();
    // The first process answers with the same function.
    return up === null ? answer(...args) : (up.ask(name, args) as Promise<T>);
  };
}

/** The question that is handed on to all others of whoever asks. */
export const TO_OTHERS = "others";

/** Makes a function that runs in each of them, here first: what was counted in each can then be put together. */
export function inEach<A extends unknown[], T>(name: string, answer: (...args: A) => T | Promise<T>) {
  answerers().set(name, { answer, isOfThread: true });
  return (...args: A): Promise<T[]> => askAll(name, args, () => answer(...args));
}

/** The same where only those count who answer trading clients: each process, without the thread that makes its pages. */
export function inEachProcess<A extends unknown[], T>(name: string, answer: (...args: A) => T | Promise<T>) {
  answerers().set(name, { answer, isOfThread: false });
  return async (...args: A): Promise<T[]> =>
    (await askAll(name, args, () => (isPagesThread() ? undefined : answer(...args)))).filter(isAnswer);
}

async function askAll<T>(name: string, args: unknown[], answer: () => T | Promise<T>): Promise<T[]> {
  const { up, below } = lines();
  if (up === null && below === null) return [await answer()];
  const [own, belowThis, others] = await Promise.all([
    answer(),
    askBelow(name, args),
    up?.ask(TO_OTHERS, [name, args]),
  ]);
  // Each of them answers with the same function.
  return [own, ...belowThis, ...(Array.isArray(others) ? others : [])] as T[];
}

/** What these answer, without those that do not in time. */
export async function askEach(
  asked: readonly Line[],
  name: string,
  args: unknown[],
  waitMs = EACH_WAITS_MS,
): Promise<unknown[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), waitMs);
  });
  const answers = await Promise.all(asked.map((line) => Promise.race([line.ask(name, args), late])));
  clearTimeout(timer);
  return answers.filter(isAnswer);
}

const isAnswer = <T>(answer: T | undefined): answer is T => answer !== undefined;

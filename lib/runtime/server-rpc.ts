/**
 * The one channel between the front and its page process: the page process asks, the front answers. What is counted once
 * (limits, metrics, requests of a subscriber) is counted in the front. A process without a front answers itself.
 */
import type { ChildProcess } from "node:child_process";
import { SECOND_MS } from "@/lib/time";
import { processWide } from "./process-wide";
import { withDeadline } from "./unavailable";

type Answer = (...args: never[]) => unknown;

interface Question {
  channel: "question";
  id: number;
  name: string;
  args: unknown[];
}

interface Reply {
  channel: "reply";
  id: number;
  /** Absent when the answer failed or the front does not know the question. */
  answered?: { value: unknown };
}

const DEADLINE_MS = SECOND_MS;

/** Pages and page-server are two bundles of one process, hence one value per process. */
const channel = processWide("server-rpc", () => ({
  answers: new Map<string, Answer>(),
  ask: null as null | ((name: string, args: unknown[]) => Promise<unknown>),
}));

/** The front did not answer a question of the page process. */
export class ServerProcedureError extends Error {
  // A page that meets this error is 503 with Retry-After, as when the database does not answer.
  readonly code = "CONNECTION_CLOSED";
  constructor(name: string) {
    super(`the front did not answer ${name}`);
    this.name = "FrontUnansweredError";
  }
}

/**
 * Declares a question that the front answers with `answer`. The function returned runs `answer` in the front and in any
 * process without a front; in the page process it asks the front and rejects after a second. Arguments and values must
 * survive a structured clone.
 */
export function serverProcedure<A extends unknown[], T>(
  name: string,
  answer: (...args: A) => T,
): (...args: A) => Promise<Awaited<T>> {
  channel.answers.set(name, answer);
  return async (...args): Promise<Awaited<T>> => {
    if (channel.ask === null) return await answer(...args);
    // The front declares the same function under this name.
    return (await channel.ask(name, args)) as Awaited<T>;
  };
}

/** This process as a child: what it sends goes to the front. */
interface Parent {
  on(event: "message", listener: (message: unknown) => void): unknown;
  send?(message: unknown, sent: () => void): unknown;
}

/** In the page process: questions go to the parent from now on. Call it before the first request. */
export function callServer(parent: Parent = process): void {
  const waiting = new Map<number, (reply: Reply) => void>();
  let lastId = 0;
  parent.on("message", (message: unknown) => {
    if (!isOf(message, "reply")) return;
    waiting.get(message.id)?.(message);
  });
  channel.ask = async (name, args) => {
    const id = ++lastId;
    const replied = new Promise<Reply>((done) => waiting.set(id, done));
    try {
      // The deadline below covers a message that could not be sent.
      parent.send?.({ channel: "question", id, name, args } satisfies Question, () => undefined);
      const { answered } = await withDeadline(replied, DEADLINE_MS);
      if (answered === undefined) throw new ServerProcedureError(name);
      return answered.value;
    } finally {
      waiting.delete(id);
    }
  };
}

/** In the front: answers the questions of this page process, which was forked with `serialization: "advanced"`. */
export function serveProcedures(child: ChildProcess): void {
  child.on("message", (message: unknown) => {
    if (isOf(message, "question")) void reply(child, message);
  });
}

async function reply(child: ChildProcess, { id, name, args }: Question): Promise<void> {
  const send = (message: Reply) => {
    // A process that has just ended takes no message.
    if (child.connected) child.send(message, () => undefined);
  };
  try {
    const answer = channel.answers.get(name);
    if (answer === undefined) return send({ channel: "reply", id });
    // `serverProcedure` made both the question and its answer, so the arguments fit.
    send({ channel: "reply", id, answered: { value: await answer(...(args as never[])) } });
  } catch {
    send({ channel: "reply", id });
  }
}

/** Other messages use the same connection; both ends are this program. */
function isOf<K extends "question" | "reply">(
  message: unknown,
  kind: K,
): message is K extends "question" ? Question : Reply {
  return typeof message === "object" && message !== null && "channel" in message && message.channel === kind;
}

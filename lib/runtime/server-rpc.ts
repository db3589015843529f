/**
 * Remote procedure calls from the page process to the HTTP server's process. State that must exist once (limits,
 * metrics, requests of a subscriber) lives in the HTTP server. A process without a parent runs the procedures itself.
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
  /** Missing if the procedure failed or is unknown. */
  answered?: { value: unknown };
}

const DEADLINE_MS = SECOND_MS;

/**
 * The RPC channel: one per process, although two bundles of the page process load this file. `ask` is null in every
 * process that runs the procedures itself.
 */
const channel = processWide("server-rpc", () => ({
  answers: new Map<string, Answer>(),
  ask: null as null | ((name: string, args: unknown[]) => Promise<unknown>),
}));

/**
 * Thrown in the page process if the HTTP server's procedure failed or is unknown. A call without a reply in time throws
 * DeadlineError instead.
 */
export class ServerProcedureError extends Error {
  // A code of an unavailable database, so that a page with this error gets 503 with Retry-After.
  readonly code = "CONNECTION_CLOSED";
  constructor(name: string) {
    super(`the HTTP server did not answer ${name}`);
    this.name = "ServerProcedureError";
  }
}

/**
 * Declares a procedure of the HTTP server's process. The returned function runs it directly in that process, and in any
 * process without a parent. In the page process it calls the HTTP server, and rejects if there is no reply within a
 * second. Arguments and results must survive a structured clone.
 */
export function serverProcedure<A extends unknown[], T>(
  name: string,
  answer: (...args: A) => T,
): (...args: A) => Promise<Awaited<T>> {
  channel.answers.set(name, answer);
  return async (...args): Promise<Awaited<T>> => {
    if (channel.ask === null) return await answer(...args);
    // The cast is safe: the HTTP server declares the same function under this name.
    return (await channel.ask(name, args)) as Awaited<T>;
  };
}

/** The connection of the page process to its parent, the HTTP server. */
interface Parent {
  on(event: "message", listener: (message: unknown) => void): unknown;
  send?(message: unknown, sent: () => void): unknown;
}

/** In the page process: sends further calls of procedures to the parent. Call it before the first request. */
export function forwardCallsToParent(parent: Parent = process): void {
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
      // The deadline below also covers a message that could not be sent.
      parent.send?.({ channel: "question", id, name, args } satisfies Question, () => undefined);
      const { answered } = await withDeadline(replied, DEADLINE_MS);
      if (answered === undefined) throw new ServerProcedureError(name);
      return answered.value;
    } finally {
      waiting.delete(id);
    }
  };
}

/** In the HTTP server: serves the calls of a page process that was forked with `serialization: "advanced"`. */
export function serveProcedures(child: ChildProcess): void {
  child.on("message", (message: unknown) => {
    if (isOf(message, "question")) void reply(child, message);
  });
}

async function reply(child: ChildProcess, { id, name, args }: Question): Promise<void> {
  const send = (message: Reply) => {
    // The page process may have just exited.
    if (child.connected) child.send(message, () => undefined);
  };
  try {
    const answer = channel.answers.get(name);
    if (answer === undefined) return send({ channel: "reply", id });
    // `serverProcedure` declared both caller and procedure, so the arguments match.
    send({ channel: "reply", id, answered: { value: await answer(...(args as never[])) } });
  } catch {
    send({ channel: "reply", id });
  }
}

/** Whether a message is a question or reply of this RPC. The process channel also carries other messages. */
function isOf<K extends "question" | "reply">(
  message: unknown,
  kind: K,
): message is K extends "question" ? Question : Reply {
  return typeof message === "object" && message !== null && "channel" in message && message.channel === kind;
}

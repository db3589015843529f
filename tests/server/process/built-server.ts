import { execFileSync } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { ADMIN_SECRET } from "@/tests/support/database";
import type { RunningServer } from "@/tests/support/server";

export const PROJECT_ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** A key of the owner's plan, created through the server, with a limit that no test reaches. */
export async function makeKey(server: RunningServer): Promise<string> {
  const answer = await fetch(`${server.url}/admin/keys`, {
    method: "POST",
    headers: { "X-Admin-Secret": ADMIN_SECRET },
    body: JSON.stringify({ user_name: "Tester", plan_tier: "owner", rate_limit_per_min: 100_000 }),
  });
  expect(answer.status).toBe(201);
  return (await answer.json()).api_key;
}

/** Sends bytes over a separate socket and returns everything received. */
export function sendRawText(port: number, text: string): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
    });
    socket.on("error", fail);
    socket.on("close", () => done(answer));
  });
}

/** The process id of a server's page process; 0 without one. */
export function pagePid(server: RunningServer): number {
  const children = execFileSync("sh", ["-c", `ps -o pid=,args= --ppid ${server.pid} || true`], {
    encoding: "utf8",
  });
  return Number(/^\s*(\d+) .*page-server/m.exec(children)?.[1] ?? 0);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, waitUntil } from "@/tests/support/server";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Floor {
  url: string;
  stop(): Promise<void>;
}

/**
 * `node:http` that sends the same bytes to everyone: what the runtime itself can do. With `serialise` it writes the
 * JSON anew for each request, as a handler without a cache must.
 */
export async function startRawFloor(body: string, serialise = false): Promise<Floor> {
  const source = `
    const { createServer } = require("node:http");
    const content = JSON.parse(process.env.BODY);
    const ready = Buffer.from(process.env.BODY);
    const serialise = process.env.SERIALISE === "yes";
    createServer((request, response) => {
      const body = serialise ? Buffer.from(JSON.stringify(content)) : ready;
      response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Content-Length": body.length });
      response.end(body);
    }).listen(Number(process.env.PORT), "127.0.0.1");`;
  const port = await freePort();
  const child = spawn(process.execPath, ["-e", source], {
    env: { ...process.env, PORT: String(port), BODY: body, SERIALISE: serialise ? "yes" : "no" },
    stdio: "ignore",
  });
  return ready(child, `http://127.0.0.1:${port}/`);
}

/**
 * `node:http` that keeps streams and waiting scans open and tells all of them at each ingest, under the paths of the
 * service: no key, no limit, no log, no database. What the runtime itself takes to write to so many.
 */
export async function startHoldingFloor(body: string): Promise<Floor & { pid: number }> {
  const source = `
    const { createServer } = require("node:http");
    const body = Buffer.from(process.env.BODY);
    const event = "id: 1\\nevent: signal\\ndata: " + process.env.BODY.slice(0, 300) + "\\n\\n";
    const [streams, waits] = [new Set(), new Set()];
    let tag = 0;
    const answer = (response) => {
      response.writeHead(200, { "Content-Type": "application/json", ETag: '"' + tag + '"', "Content-Length": body.length });
      response.end(body);
    };
    createServer((request, response) => {
      if (request.method === "POST") {
        request.resume();
        tag++;
        for (const stream of streams) stream.write(event);
        const told = [...waits];
        waits.clear();
        for (const wait of told) answer(wait);
        response.end("{}");
      } else if (request.url.startsWith("/api/stream")) {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write("retry: 2000\\n\\n");
        streams.add(response);
        response.on("close", () => streams.delete(response));
      } else if (request.url.includes("wait=") && request.headers["if-none-match"] === '"' + tag + '"') {
        waits.add(response);
        response.on("close", () => waits.delete(response));
      } else answer(response);
    }).listen(Number(process.env.PORT), "127.0.0.1");`;
  const port = await freePort();
  const child = spawn(process.execPath, ["-e", source], {
    env: { ...process.env, PORT: String(port), BODY: body },
    stdio: "ignore",
  });
  return { ...(await ready(child, `http://127.0.0.1:${port}`)), pid: child.pid ?? 0 };
}

/** An element of a document, or its text. */
type Node = string | [tag: string, attributes: Record<string, string>, children: Node[]];

const VOID = new Set(["area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"]);
/** Attributes that React writes in another way than it takes them; the floor does without. */
const SKIPPED = /^(?:style|on|for$|value$|checked|selected)/;
const RENAMED: Record<string, string> = { class: "className", tabindex: "tabIndex", viewbox: "viewBox" };

/** The elements of a document's body as React wrote them, without scripts, templates and comments. */
export function elementsOf(html: string): Node[] {
  const body = /<body[^>]*>(.*)<\/body>/s.exec(html)?.[1] ?? "";
  const text = body.replace(/<(script|template|style)\b.*?<\/\1>|<!--.*?-->/gs, "");
  const root: Node[] = [];
  const open: Node[][] = [root];
  for (const [, end, tag, attributes = "", words] of text.matchAll(
    /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/g,
  )) {
    const into = open.at(-1) ?? root;
    if (words !== undefined) into.push(words);
    else if (end === "/") open.pop();
    else if (tag !== undefined) {
      const pairs = [...attributes.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)]
        .filter(([, name = ""]) => !SKIPPED.test(name))
        .map(([, name = "", value = ""]): [string, string] => [RENAMED[name.toLowerCase()] ?? name, value]);
      const children: Node[] = [];
      into.push([tag, Object.fromEntries(pairs), children]);
      if (!VOID.has(tag)) open.push(children);
    }
  }
  return root;
}

/**
 * A Next application with one page that is rendered for each visitor: the elements, texts and classes of `html`, without data or
 * components of the service. Measures what Next and React need for a page of that size.
 */
export function startNextPageFloor(html: string): Promise<Floor> {
  return startNext(
    "page/page.js",
    `import { createElement } from "react";
import { headers } from "next/headers";
const tree = ${JSON.stringify(elementsOf(html))};
const draw = (node, key) =>
  typeof node === "string" ? node : createElement(node[0], { ...node[1], key }, ...node[2].map(draw));
export default async function Page() {
  await headers();
  return tree.map(draw);
}`,
    "/page",
  );
}

/** A Next application with one route handler that returns the same bytes, built and started as Next does it. */
export function startNextFloor(body: string): Promise<Floor> {
  return startNext(
    "scan/route.js",
    `const body = ${JSON.stringify(body)};
export const dynamic = "force-dynamic";
export function GET() {
  return new Response(body, { headers: { "Content-Type": "application/json; charset=utf-8" } });
}`,
    "/scan",
  );
}

async function startNext(file: string, source: string, path: string): Promise<Floor> {
  // Inside the project, so that its packages are found; a folder that no commit and no build of ours sees.
  const directory = join(root, ".build/bare-next");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(dirname(join(directory, "app", file)), { recursive: true });
  writeFileSync(join(directory, "app", file), source);
  writeFileSync(
    join(directory, "app/layout.js"),
    "export default function Layout({ children }) { return <html><body>{children}</body></html>; }",
  );
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "bare-next", private: true }));
  writeFileSync(
    join(directory, "next.config.mjs"),
    `export default { turbopack: { root: ${JSON.stringify(root)} } };`,
  );
  const next = join(root, "node_modules/next/dist/bin/next");
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  const built = spawnSync(process.execPath, [next, "build"], { cwd: directory, env, encoding: "utf8" });
  if (built.status !== 0)
    throw new Error(`the bare Next application does not build\n${built.stdout}\n${built.stderr}`);
  const port = await freePort();
  const child = spawn(process.execPath, [next, "start", "-p", String(port)], {
    cwd: directory,
    env,
    stdio: "ignore",
  });
  return ready(child, `http://127.0.0.1:${port}${path}`);
}

const PEER = join(import.meta.dirname, "peers/fastapi_scan.py");

/**
 * FastAPI with asyncpg under uvicorn, one process: the key is looked up in the same table, and the same scan is written as
 * JSON. Null where Python or one of the three is not installed (Debian: python3-fastapi, python3-asyncpg, python3-uvicorn).
 */
export async function startFastApiPeer(body: string, databaseUrl: string): Promise<Floor | null> {
  for (const python of ["/usr/bin/python3", "python3"]) {
    if (spawnSync(python, ["-c", "import asyncpg, fastapi, uvicorn"]).status !== 0) continue;
    const port = await freePort();
    const child = spawn(python, [PEER], {
      env: { ...process.env, PORT: String(port), BODY: body, DATABASE_URL: databaseUrl },
      stdio: "ignore",
    });
    // Without a key it answers 401, and is there.
    return ready(child, `http://127.0.0.1:${port}/api/scan`, [200, 401]);
  }
  return null;
}

async function ready(child: ChildProcess, url: string, statuses: readonly number[] = [200]): Promise<Floor> {
  const status = () =>
    fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
  await waitUntil(async () => statuses.includes(await status()), 30_000);
  return {
    url,
    stop: () =>
      new Promise((done) => {
        child.once("exit", () => done());
        child.kill("SIGTERM");
      }),
  };
}

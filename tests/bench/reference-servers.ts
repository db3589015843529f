import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pickFreePort } from "@/db/embedded/cluster";
import { waitUntil } from "@/tests/support/server";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface ReferenceServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a `node:http` server that answers every request with the same bytes: the upper limit of the runtime. With
 * `serialise` it writes the JSON for each request, like a handler without a cache.
 */
export async function startBareHttpServer(body: string, serialise = false): Promise<ReferenceServer> {
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
  const port = await pickFreePort();
  const child = spawn(process.execPath, ["-e", source], {
    env: { ...process.env, PORT: String(port), BODY: body, SERIALISE: serialise ? "yes" : "no" },
    stdio: "ignore",
  });
  return ready(child, `http://127.0.0.1:${port}/`);
}

/**
 * Starts a `node:http` server that keeps streams and long polls open and answers all of them at each POST, without key,
 * limit, log or database. It shows what writing to that many connections costs the runtime.
 */
export async function startBareStreamServer(body: string): Promise<ReferenceServer & { pid: number }> {
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
  const port = await pickFreePort();
  const child = spawn(process.execPath, ["-e", source], {
    env: { ...process.env, PORT: String(port), BODY: body },
    stdio: "ignore",
  });
  return { ...(await ready(child, `http://127.0.0.1:${port}`)), pid: child.pid ?? 0 };
}

/** An element of an HTML document, or a text. */
type Node = string | [tag: string, attributes: Record<string, string>, children: Node[]];

const VOID = new Set(["area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"]);
/** Attributes that are left out of the rebuilt page, because React does not accept them as props in this form. */
const SKIPPED = /^(?:style|on|for$|value$|checked|selected)/;
const RENAMED: Record<string, string> = { class: "className", tabindex: "tabIndex", viewbox: "viewBox" };

/** The elements of a rendered body, without scripts, templates and comments. */
export function parseBodyElements(html: string): Node[] {
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
 * Builds and starts a Next application with one dynamic page that has the elements, texts and classes of `html`, but no
 * data or components of the service. It shows what Next and React cost for a page of that size.
 */
export function startBareNextPage(html: string): Promise<ReferenceServer> {
  return startNext(
    "page/page.js",
    `import { createElement } from "react";
import { headers } from "next/headers";
const tree = ${JSON.stringify(parseBodyElements(html))};
const draw = (node, key) =>
  typeof node === "string" ? node : createElement(node[0], { ...node[1], key }, ...node[2].map(draw));
export default async function Page() {
  await headers();
  return tree.map(draw);
}`,
    "/page",
  );
}

/** Builds and starts a Next application with one route handler that returns `body`. */
export function startBareNextHandler(body: string): Promise<ReferenceServer> {
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

async function startNext(file: string, source: string, path: string): Promise<ReferenceServer> {
  // Inside the project, so that its packages resolve, in an ignored folder.
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
  const port = await pickFreePort();
  const child = spawn(process.execPath, [next, "start", "-p", String(port)], {
    cwd: directory,
    env,
    stdio: "ignore",
  });
  return ready(child, `http://127.0.0.1:${port}${path}`);
}

const PEER = join(import.meta.dirname, "peers/fastapi_scan.py");

/**
 * Starts a FastAPI service with asyncpg under uvicorn, one process, that looks the key up in the same table and
 * serialises the same scan. Null if Python or a package is missing (Debian: python3-fastapi, python3-asyncpg,
 * python3-uvicorn).
 */
export async function startFastApiServer(body: string, databaseUrl: string): Promise<ReferenceServer | null> {
  for (const python of ["/usr/bin/python3", "python3"]) {
    if (spawnSync(python, ["-c", "import asyncpg, fastapi, uvicorn"]).status !== 0) continue;
    const port = await pickFreePort();
    const child = spawn(python, [PEER], {
      env: { ...process.env, PORT: String(port), BODY: body, DATABASE_URL: databaseUrl },
      stdio: "ignore",
    });
    // A 401 without a key shows that it is up.
    return ready(child, `http://127.0.0.1:${port}/api/scan`, [200, 401]);
  }
  return null;
}

async function ready(
  child: ChildProcess,
  url: string,
  statuses: readonly number[] = [200],
): Promise<ReferenceServer> {
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

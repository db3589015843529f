import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { makeClientPackage } from "@/lib/api/client/make-package";
import { changeHub } from "@/lib/api/watch/change-hub";
import { copyPythonClient } from "@/lib/server/start.mjs";
import { call, makeKey } from "@/tests/support/api";
import { startApiServer } from "@/tests/support/api-server";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, signalItem } from "@/tests/support/market-data";
import { waitUntil } from "@/tests/support/server";
import { type TcpProxy, tcpProxy } from "@/tests/support/tcp-proxy";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

useDatabase();

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const SOURCES = join(root, "lib/api/client");
const PYTHON = join(root, "public/ea-kit/python");

let service: Awaited<ReturnType<typeof startApiServer>>;
let proxy: TcpProxy;
let url: string;
beforeAll(async () => {
  service = await startApiServer();
  proxy = tcpProxy(await pickFreePort(), { host: "127.0.0.1", port: service.port });
  await proxy.open();
  url = `http://127.0.0.1:${proxy.port}`;
});
afterAll(async () => {
  await proxy.cut();
  await service.close();
});

let turn = 0;
async function ingest(): Promise<void> {
  const items = [signalItem({ ts: hourlyCandleOpenTime(0), model_v: `packed-${turn++}` })];
  const answer = await call("POST", "/admin/ingest/signals", { admin: true, body: { items } });
  expect(answer.status, answer.text).toBe(200);
}

/**
 * Runs a program that follows signals and prints a line for each. After each but the last, its connection is cut and
 * another signal is made; at the last the key ends. Returns the lines.
 */
async function follow(
  command: string,
  args: string[],
  { cwd, isStream }: { cwd: string; isStream: boolean },
) {
  // Waits until the connections of the previous program are closed.
  await waitUntil(async () => changeHub().size === 0, 20_000);
  const { key, keyId } = await makeKey();
  await ingest();
  const lines: string[] = [];
  const env = { ...process.env, API_URL: url, API_KEY: key };
  const running = run(command, args, { cwd, timeout: 60_000, env });
  const ended = running.catch((error: { stderr?: string }) => ({ stderr: error.stderr ?? String(error) }));
  let rest = "";
  let acting = Promise.resolve();
  running.child.stdout?.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      if (!line.startsWith("seen")) continue;
      const nSeen = lines.filter((one) => one.startsWith("seen")).length;
      acting = acting.then(async () => {
        if (nSeen >= 4) return void (await call("DELETE", `/admin/keys/${keyId}`, { admin: true }));
        proxy.reset();
        await ingest();
      });
    }
  });
  if (isStream) {
    // The list starts with the latest signal, the stream with the next one.
    await waitUntil(async () => changeHub().size > 0, 40_000);
    await ingest();
  }
  const { stderr } = await ended;
  await acting;
  return { lines, stderr };
}

const numbersIn = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith("seen")).map((line) => Number(line.split(" ")[1]));

/** Expects four signals with successive numbers. */
function expectWhole(lines: readonly string[], where: string): void {
  const numbers = numbersIn(lines);
  const [first = 0] = numbers;
  expect(numbers, `${where}: ${lines.join(", ")}`).toEqual([0, 1, 2, 3].map((n) => first + n));
}

describe("the packed TypeScript client", () => {
  let folder: string;
  beforeAll(async () => {
    const made = temporaryDirectory("client-package-");
    await makeClientPackage(join(made, "dist"));
    for (const file of ["package.json", "README.md"])
      copyFileSync(join(SOURCES, "package", file), join(made, file));
    folder = temporaryDirectory("client-consumer-");
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: made });
    const [tarball = ""] = readdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{"name": "consumer", "private": true, "type": "module"}');
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)], {
      cwd: folder,
    });
  }, 120_000);

  it("the packed TypeScript client has a readme, the service's version and no dependencies", () => {
    const installed = join(folder, "node_modules/@signal-delivery/client");
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "@signal-delivery",
    ]);
    expect(readdirSync(installed).sort()).toEqual(["README.md", "dist", "package.json"]);
    const { version, dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(dependencies).toBeUndefined();
    expect(version).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
    expect(readFileSync(join(installed, "dist/index.js"), "utf8")).not.toMatch(/^import |\brequire\(/m);
  });

  it.each(["nodenext", "bundler"])(
    "a program that uses the packed client type-checks with %s, and a wrong one is reported",
    {
      timeout: 120_000,
    },
    async (resolution) => {
      const compiler = join(SOURCES, "node_modules/typescript/bin/tsc");
      const module = resolution === "nodenext" ? "nodenext" : "esnext";
      const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.asynciterable"];
      const check = (name: string, code: string) => {
        writeFileSync(join(folder, name), code);
        const args = [compiler, name, ...flags, "--module", module, "--moduleResolution", resolution];
        return run(process.execPath, args, { cwd: folder }).then(
          () => "",
          (error: { stdout: string }) => error.stdout,
        );
      };
      const right = `
import { type SignalEvent, FollowError, followScan, followStream, makeApiClient } from "@signal-delivery/client";
const service = { baseUrl: "http://x", apiKey: "k" };
const { data, error } = await makeApiClient(service).GET("/api/signals/{symbol}/{tf}", {
  params: { path: { symbol: "EURUSD", tf: "H1" }, query: { limit: 3 } },
});
const confidence: number | undefined = data?.[0]?.confidence;
const code: string | undefined = error?.code;
for await (const event of followStream(service, 0)) {
  const known: SignalEvent = event;
  if (event.event === "signal") { const side: "BUY" | "SELL" | "NO_TRADE" = event.data.signal; console.log(side, known); }
}
for await (const scan of followScan(service)) console.log(scan.items.length, confidence, code, FollowError.name);
export {};
`;
      expect(await check(`right-${resolution}.mts`, right)).toBe("");
      const wrong = `
import { makeApiClient } from "@signal-delivery/client";
await makeApiClient({ baseUrl: "x" }).GET("/api/signals/{symbol}/{tf}", { params: { path: { symbol: 7, tf: "H1" } } });
`;
      expect(await check(`wrong-${resolution}.mts`, wrong)).toContain("TS2322");
    },
  );

  it.each([
    [
      "the stream",
      `for await (const event of followStream(service)) {
        if (event.event === "signal") console.log("seen", event.seq, event.data.symbol);
        else if (event.event === "status") console.log(event.data.status);
      }`,
    ],
    [
      "waiting requests",
      `for await (const scan of followScan(service)) {
        const model = scan.items.find(({ symbol }) => symbol === "EURUSD")?.model_v ?? "";
        console.log("seen", model.split("-")[1]);
      }`,
    ],
  ])(
    "the packed TypeScript client follows signals with %s over cut connections, each signal once, until the key ends",
    { timeout: 90_000 },
    async (way, loop) => {
      const program = `
import { followScan, followStream, makeApiClient } from "@signal-delivery/client";
const service = { baseUrl: process.env.API_URL, apiKey: process.env.API_KEY };
const { data } = await makeApiClient(service).GET("/api/account/me");
console.log("plan", data.plan_tier);
try {
  ${loop}
} catch (error) {
  console.log("end", error.code);
}
process.exit(0);
`;
      writeFileSync(join(folder, "follow.mjs"), program);
      const { lines, stderr } = await follow(process.execPath, ["follow.mjs"], {
        cwd: folder,
        isStream: way === "the stream",
      });
      expect(lines, stderr).toContain("plan pro");
      expectWhole(lines, way + stderr);
      expect(lines.at(-1)).toBe("end key_revoked");
    },
  );
});

/** The first Python with this feature, from PATH, then the system's own; null: none. */
async function firstWith(code: string): Promise<string | null> {
  for (const python of ["python3", "/usr/bin/python3"]) {
    const can = await run(python, ["-c", code]).then(
      () => true,
      () => false,
    );
    if (can) return python;
  }
  return null;
}

describe("the Python client", () => {
  let python = false;
  beforeAll(async () => {
    copyPythonClient();
    python = await run("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).then(
      () => true,
      () => false,
    );
    if (!python) process.stdout.write("python3 is not on this machine: its client is not tried\n");
  });

  it("the Python client is the same as a single file and as a package, and has the service's version", () => {
    const file = readFileSync(join(root, "public/ea-kit/signal_delivery.py"), "utf8");
    expect(readFileSync(join(PYTHON, "signal_delivery/__init__.py"), "utf8")).toBe(file);
    const [, version] = /__version__ = "([^"]+)"/.exec(file) ?? [];
    expect(version).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
    expect(existsSync(join(PYTHON, "signal_delivery/py.typed"))).toBe(true);
  });

  it("the Python client installs without a network, with its types", { timeout: 90_000 }, async ({
    skip,
  }) => {
    const withPip = await firstWith("import setuptools, wheel, pip");
    if (withPip === null) return skip("python3 with pip, setuptools and wheel is not on this machine");
    const sources = temporaryDirectory("python-client-");
    mkdirSync(join(sources, "signal_delivery"));
    for (const file of [
      "pyproject.toml",
      "README.md",
      ...["__init__.py", "__main__.py", "py.typed"].map((name) => `signal_delivery/${name}`),
    ])
      copyFileSync(join(PYTHON, file), join(sources, file));
    const target = temporaryDirectory("python-installed-");
    const args = ["--no-index", "--no-build-isolation", "--no-deps", "--quiet", "--target", target, sources];
    await run(withPip, ["-m", "pip", "install", ...args], { timeout: 80_000 });
    expect(readdirSync(join(target, "signal_delivery"))).toEqual(
      expect.arrayContaining(["__init__.py", "py.typed"]),
    );
    const { stdout } = await run(
      "python3",
      ["-c", "import signal_delivery; print(signal_delivery.__file__)"],
      {
        env: { ...process.env, PYTHONPATH: target },
      },
    );
    expect(stdout).toContain(target);
  });

  it("the Python client passes mypy in strict mode", { timeout: 90_000 }, async ({ skip }) => {
    const withMypy = await firstWith("import mypy");
    if (withMypy === null) return skip("mypy is not on this machine");
    const cache = temporaryDirectory("mypy-");
    const { stdout } = await run(
      withMypy,
      ["-m", "mypy", "--strict", "--cache-dir", cache, "signal_delivery"],
      {
        cwd: PYTHON,
        timeout: 80_000,
      },
    );
    expect(stdout).toContain("no issues found");
  });

  it.for([
    [
      "the stream",
      `for told in service.stream():
    if told["event"] == "signal":
        print("seen", told["seq"], told["data"]["symbol"], flush=True)`,
    ],
    [
      "waiting requests",
      `for signal in service.follow(wait_s=20):
    print("seen", signal["model_v"].split("-")[1], flush=True)`,
    ],
  ])(
    "the Python client follows signals with %s over cut connections, each signal once, until the key ends",
    {
      timeout: 90_000,
    },
    async ([way = "", loop = ""], { skip }) => {
      if (!python) skip("python3 is not on this machine");
      const program = `
import os
from signal_delivery import KeyRefused, SignalDelivery
service = SignalDelivery(os.environ["API_URL"], os.environ["API_KEY"])
print("plan", service.account()["plan_tier"], flush=True)
try:
    ${loop.replaceAll("\n", "\n    ")}
except KeyRefused as error:
    print("end", error.code, flush=True)
`;
      const { lines, stderr } = await follow("python3", ["-B", "-c", program], {
        cwd: PYTHON,
        isStream: way === "the stream",
      });
      expect(lines, stderr).toContain("plan pro");
      expectWhole(lines, way + stderr);
      expect(lines.at(-1)).toBe("end key_revoked");
    },
  );
});

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { docsCodeBlock } from "@/app/(site)/docs/_text/pages";
import { IngestSignalsBody } from "@/lib/wire/contracts/ingest";

const run = promisify(execFile);
/** The example signals file: the first JSON code block of the page. */
const SIGNALS = JSON.parse(
  readFileSync("docs/site/own-model.md", "utf8").match(/```json\n([^`]+)```/)?.[1] ?? "",
);

let server: Server | undefined;
let folder = "";
let hasPython = false;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "own-model-"));
  writeFileSync(join(folder, "push.py"), docsCodeBlock("own-model", "Python: push.py"));
  writeFileSync(join(folder, "push.ts"), docsCodeBlock("own-model", "TypeScript: push.ts"));
  writeFileSync(join(folder, "signals.json"), JSON.stringify(SIGNALS));
  hasPython = await run("python3", ["--version"]).then(
    () => true,
    () => false,
  );
  return () => rmSync(folder, { recursive: true });
});
afterEach(() => server?.close());

/** A service that returns these answers in order. */
async function answering(...answers: [status: number, body: object][]) {
  const seen: { url: string; token: unknown; body: unknown }[] = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ url: request.url ?? "", token: request.headers["x-producer-token"], body: JSON.parse(body) });
    const [status, answer] = answers.shift() ?? [500, {}];
    response.writeHead(status, { "Retry-After": "0" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, seen };
}

it("every file of signals in the documentation is a body that POST /admin/ingest/signals accepts", () => {
  const files = [...readFileSync("docs/site/own-model.md", "utf8").matchAll(/```json\n([^`]+)```/g)];
  expect(files).toHaveLength(2);
  for (const [, text = ""] of files)
    expect(IngestSignalsBody.safeParse(JSON.parse(text))).toMatchObject({ success: true });
});

describe.each([
  ["Python", "python3", "push.py"],
  ["TypeScript", join(process.cwd(), "node_modules/.bin/tsx"), "push.ts"],
])("the documentation's signal sender in %s", (language, command, program) => {
  const push = (url: string, ...args: string[]) =>
    run(command, [program, "signals.json", ...args], {
      cwd: folder,
      timeout: 30_000,
      env: { ...process.env, SERVICE_URL: url, PRODUCER_TOKEN: "prod_x" },
    });

  it("the documentation's signal sender retries while the service is busy", async ({ skip }) => {
    if (language === "Python" && !hasPython) skip("python3 is not on this machine");
    const { url, seen } = await answering([503, {}], [429, {}], [200, { accepted: 1, duplicates: 0 }]);
    expect((await push(url)).stdout.trim()).toMatch(/^stored 1 new, 0 known$/);
    expect(seen).toHaveLength(3);
    expect(seen[2]).toEqual({ url: "/admin/ingest/signals", token: "prod_x", body: SIGNALS });
  });

  it("the documentation's signal sender only checks the file with --check, and fails on an error that a retry cannot fix", async ({
    skip,
  }) => {
    if (language === "Python" && !hasPython) skip("python3 is not on this machine");
    const { url, seen } = await answering(
      [200, { accepted: 1, duplicates: 0 }],
      [409, { code: "signal_conflict" }],
    );
    expect((await push(url, "--check")).stdout.trim()).toMatch(/^checked 1 new/);
    expect(seen[0]?.url).toBe("/admin/ingest/signals?check=true");
    await expect(push(url)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("signal_conflict"),
    });
  });
});

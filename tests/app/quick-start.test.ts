import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Scan } from "@/lib/wire/contracts/signals";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { codeBlocks, type PageCode } from "@/tests/support/read-page";
import { type RunningServer, startServer } from "@/tests/support/server";

const run = promisify(execFile);
const PLACEHOLDER = "paste-your-key-here";
const WEBHOOK_SECRET = "the-secret-of-the-payment-platform";

let server: RunningServer;
let drop: () => Promise<void>;
let folder: string;
let key: string;
let blocks: PageCode[];

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  server = await startServer(database.url, { PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });
  folder = await mkdtemp(join(tmpdir(), "quick-start-"));
  const made = await fetch(`${server.url}/admin/keys`, {
    method: "POST",
    headers: { "X-Admin-Secret": ADMIN_SECRET },
    body: JSON.stringify({ user_name: "New reader", plan_tier: "basic" }),
  });
  key = (await made.json()).api_key;
  blocks = codeBlocks(await (await fetch(`${server.url}/docs`)).text());
});

afterAll(async () => {
  await server?.stop();
  await drop?.();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Runs code blocks one after the other in one shell, with the visitor's key filled in. Returns the output. */
async function paste(...codes: string[]): Promise<string> {
  const { stdout } = await run(
    "bash",
    ["-euo", "pipefail", "-c", codes.join("\n").replaceAll(PLACEHOLDER, key)],
    {
      cwd: folder,
      timeout: 30_000,
    },
  );
  return stdout;
}

/** Whether a program is installed. */
const has = (program: string, args: string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );

const block = (test: (code: PageCode) => boolean): string => {
  const found = blocks.find(test);
  if (!found) throw new Error(`no such block among ${blocks.map((one) => one.name).join(", ")}`);
  return found.code;
};

describe("the quick start, followed literally", () => {
  it("the quick start goes from a key to a closed position with curl", async () => {
    const variables = block(({ code }) => code.startsWith("export BASE_URL"));
    const curls = blocks.map(({ code }) => code).filter((code) => code.startsWith('curl -sS "$BASE_URL'));
    expect(curls).toHaveLength(4);
    const answers: unknown[] = [];
    for (const code of curls) answers.push(JSON.parse(await paste(variables, code)));
    const [scan, open, close, list] = answers;
    expect(scan).toMatchObject({ items: [], plan_tier: "basic", filtered_by_plan: true });
    expect(open).toMatchObject({ ok: true, action: "created", ticket: 1001 });
    expect(close).toMatchObject({ ok: true, action: "updated", ticket: 1001 });
    expect(list).toMatchObject({
      executions: [{ ticket: 1001, exit_price: 1.08655, pnl: 23.4, result: "TP" }],
    });
  });

  it("the responses in the quick start have the service's fields, and its list of executions also the service's values", async () => {
    const shown = blocks.filter(({ name }) => name.startsWith("Answer, "));
    expect(shown.map(({ name }) => name)).toEqual([
      "Answer, 200",
      "Answer, 201",
      "Answer, 201",
      "Answer, 200",
    ]);
    const isInstant = (value: unknown) => typeof value === "string" && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);
    const [scan, open, close, list] = shown.map(({ code }, n) =>
      // The contract describes instants before serialisation.
      JSON.parse(code, (_, value) => (n === 0 && isInstant(value) ? new Date(value) : value)),
    );
    expect(Scan.safeParse(scan).error).toBeUndefined();
    const own = { exec_id: expect.any(Number), ticket: 1001 };
    expect(open).toEqual({ ok: true, action: "created", ...own });
    expect(close).toEqual({ ok: true, action: "updated", ...own });
    const variables = block(({ code }) => code.startsWith("export BASE_URL"));
    const curl = block(({ code }) => code.startsWith('curl -sS "$BASE_URL/api/account/executions"'));
    const answered = JSON.parse(await paste(variables, curl));
    const [execution] = list.executions;
    expect(answered.summary).toEqual(list.summary);
    expect(answered.executions).toEqual([
      {
        ...execution,
        exec_id: expect.any(Number),
        opened_at: expect.any(String),
        closed_at: expect.any(String),
      },
    ]);
    expect(Object.keys(answered.executions[0])).toEqual(Object.keys(execution));
  });

  it("the quick start works with the Python client", async ({ skip }) => {
    if (!(await has("python3", ["--version"]))) skip("python3 is not on this machine");
    const variables = block(({ code }) => code.startsWith("export BASE_URL"));
    const install = block(({ code }) => code.includes("signal_delivery.py"));
    const program = block(({ name }) => name === "follow.py");
    const start = block(({ code }) => code === "python3 follow.py");
    // The package is already installed, and tests download nothing.
    await paste(install.replace(/^python3 -m pip .*$/m, ""));
    expect(await readFile(join(folder, "signal_delivery.py"), "utf8")).toContain("class SignalDelivery");
    await writeFile(join(folder, "follow.py"), program);
    const printed = await paste(variables, start);
    expect(printed).toContain("'action': 'updated'");
    expect(printed).toContain("'ticket': 1002");
  });

  it("the quick start works with Node", async () => {
    const program = blocks.filter(({ name }) => name === "Node").map(({ code }) => code);
    expect(program).toHaveLength(5);
    await writeFile(
      join(folder, "first.mjs"),
      program.join("\n").replaceAll(PLACEHOLDER, key).replaceAll("1001", "1003"),
    );
    const printed = await paste("node first.mjs");
    expect(printed).toContain("action: 'created'");
    expect(printed).toContain("action: 'updated'");
    expect(printed).toContain("ticket: 1003");
  });

  it("the quick start works with plain Python", async ({ skip }) => {
    if (!(await has("python3", ["--version"]))) skip("python3 is not on this machine");
    const program = blocks.filter(({ name }) => name === "Python").map(({ code }) => code);
    expect(program).toHaveLength(5);
    await writeFile(
      join(folder, "first.py"),
      program.join("\n").replaceAll(PLACEHOLDER, key).replaceAll("1001", "1004"),
    );
    const printed = await paste("python3 first.py");
    expect(printed).toContain("'action': 'updated'");
    expect(printed).toContain("'ticket': 1004");
  });

  it("the quick start works with PowerShell", async ({ skip }) => {
    if (!(await has("pwsh", ["-v"]))) skip("PowerShell is not on this machine");
    const program = blocks.filter(({ name }) => name === "PowerShell").map(({ code }) => code);
    expect(program).toHaveLength(5);
    await writeFile(
      join(folder, "first.ps1"),
      program.join("\n").replaceAll(PLACEHOLDER, key).replaceAll("1001", "1005"),
    );
    expect(await paste("pwsh -NoProfile -File first.ps1")).toContain("1005");
  });

  it("the quick start shows this installation's address, and no key", () => {
    const variables = block(({ code }) => code.startsWith("export BASE_URL"));
    expect(variables).toBe(`export BASE_URL=http://localhost:${server.port}\nexport API_KEY=${PLACEHOLDER}`);
    expect(blocks.every(({ code }) => !code.includes(key))).toBe(true);
  });
});

it("the sample delivery of the payment webhook page creates a key valid for over 30 days", async ({
  skip,
}) => {
  if (!(await has("openssl", ["version"]))) skip("openssl is not on this machine");
  const [sample] = codeBlocks(await (await fetch(`${server.url}/docs/webhooks`)).text());
  const variables = `export BASE_URL=${server.url} PAYMENT_WEBHOOK_SECRET=${WEBHOOK_SECRET}`;
  const answer = JSON.parse(await paste(variables, sample?.code ?? ""));
  expect(answer).toMatchObject({ ok: true, action: "api_key_created", plan: "basic" });
  expect(Date.parse(answer.expires)).toBeGreaterThan(Date.now() + 30 * 86_400_000);
});

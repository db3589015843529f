import { afterEach, expect, it, vi } from "vitest";
import { env, parseEnv } from "@/lib/runtime/env";
import { printStartupBanner } from "@/lib/server/startup-banner";
import { testEnvironment } from "@/tests/support/database";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function greeting(extra: Record<string, string>): Promise<string> {
  const environment = testEnvironment("postgres://localhost/none", extra);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await printStartupBanner(Object.assign(env(), parseEnv(environment)));
  const printed = write.mock.calls.map(([text]) => String(text)).join("");
  write.mockRestore();
  return printed;
}

it("the start-up banner names the local outbox when mails cannot be sent, and only then", async () => {
  expect(await greeting({ DATA_DIR: "/tmp/here" })).toContain(
    "Mails are NOT sent: without Resend or an SMTP server they are written to files in /tmp/here/outbox",
  );
  expect(await greeting({ SMTP_URL: "smtp://mail.example.test" })).not.toContain("Mails");
  expect(await greeting({ RESEND_API_KEY: "re_test" })).not.toContain("Mails");
});

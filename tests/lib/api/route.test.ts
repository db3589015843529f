import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { route } from "@/lib/api/route";
import { flushLog } from "@/lib/runtime/log";
import { useDatabase } from "@/tests/support/database";

useDatabase();

it("a 503 because of the database leaves a warning with the database's error code and without its message", async () => {
  const handler = route(() => {
    throw Object.assign(new Error("a secret"), { code: "53300" });
  });
  const answer = await handler(new Request("https://signals.example.test/"), {
    params: Promise.resolve({}),
    template: "/webhooks/payment",
  });
  expect(answer.status).toBe(503);
  await flushLog();
  const lines = readFileSync(process.env.LOG_FILE ?? "", "utf8");
  expect(lines).toContain('"error":{"name":"Error","code":"53300"}');
  expect(lines).not.toContain("a secret");
});

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { env } from "@/lib/runtime/env";
import { retryUntilReachable } from "@/lib/server/database";
import { useDatabase } from "@/tests/support/database";

useDatabase();

it("work is retried while the database does not answer, and not after another error", async () => {
  const failures = [
    Object.assign(new Error("silence"), { code: "DEADLINE" }),
    Object.assign(new Error("no connection"), { code: "ECONNREFUSED" }),
  ];
  const work = async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return "done";
  };
  expect(await retryUntilReachable(work, "DATABASE_DIRECT_URL")).toBe("done");
  const lines = readFileSync(env().logFile ?? "", "utf8")
    .trim()
    .split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    msg: "the database is not reachable yet",
    reason: "is DATABASE_DIRECT_URL its address?",
    error: { code: "ECONNREFUSED" },
  });

  let n = 0;
  const broken = retryUntilReachable(async () => {
    n++;
    throw new Error("wrong schema");
  });
  await expect(broken).rejects.toThrow("wrong schema");
  expect(n).toBe(1);
});

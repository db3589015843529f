import { expect, it } from "vitest";
import { checkAdminSecret } from "@/lib/access/admin-secret";
import { ADMIN_SECRET, useDatabase } from "@/tests/support/database";

useDatabase();

const verdicts = async (secrets: string[], address: string) => {
  const judged = await Promise.all(secrets.map((secret) => checkAdminSecret(secret, address)));
  return judged.map(({ verdict }) => verdict);
};

it("ten concurrent wrong admin secrets block the right one from their IP address, and not from another", async () => {
  const guesses = Array.from({ length: 10 }, (_, n) => `a wrong secret of some length ${n}`);
  const answers = await verdicts([...guesses, ADMIN_SECRET], "198.51.100.7");
  expect(answers).toEqual([...Array(10).fill("wrong"), "blocked"]);
  expect(await verdicts([ADMIN_SECRET], "198.51.100.8")).toEqual(["right"]);
});

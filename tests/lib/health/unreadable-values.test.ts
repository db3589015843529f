import { expect, it } from "vitest";
import { db } from "@/db/client";
import { findUnreadableValues, namesOfValues } from "@/lib/health/unreadable-values";
import { env } from "@/lib/runtime/env";
import { encrypt } from "@/lib/runtime/secrets";
import { runDoctorChecks } from "@/lib/server/upkeep/doctor";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const sql = () => db().$client;
const ofSecrets = async () =>
  (await runDoctorChecks(env())).filter(({ part }) => part === "secrets" || part === "ledger");

/** Encrypts a text as an installation with another key of the same version did. */
function encryptElsewhere(text: string): string {
  const { encryptionKeys } = env();
  Object.assign(env(), { encryptionKeys: [{ version: 1, secret: "another installation" }] });
  try {
    return encrypt(text);
  } finally {
    Object.assign(env(), { encryptionKeys });
  }
}

it("stored values are readable with the keys that encrypted them", async () => {
  await sql()`insert into ledger_keys (id, seed_encrypted) values (1, ${encrypt("00".repeat(32))})`;
  expect(await findUnreadableValues(db())).toEqual([]);
});

it("a ledger key of another installation is named by the doctor, and the ledger is not called signable", async () => {
  await sql()`update ledger_keys set seed_encrypted = ${encryptElsewhere("00".repeat(32))}`;
  const lost = await findUnreadableValues(db());
  expect(lost).toEqual(["ledgerKey"]);
  expect(namesOfValues(lost)).toBe("the ledger's signing key");
  const checks = await ofSecrets();
  expect(checks).toContainEqual(
    expect.objectContaining({
      state: "wrong",
      text: "no configured encryption key decrypts the ledger's signing key",
    }),
  );
  expect(checks.filter(({ part }) => part === "ledger")).toEqual([
    { part: "ledger", state: "wrong", text: "no configured encryption key decrypts its signing key" },
  ]);
});

it("only the newest value of a kind counts, so one that cannot be read is not reported for ever", async () => {
  await sql()`insert into ledger_keys (id, seed_encrypted) values (2, ${encrypt("11".repeat(32))})`;
  expect(await findUnreadableValues(db())).toEqual([]);
});

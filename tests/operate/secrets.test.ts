import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readReencryptionState } from "@/db/queries/encrypted-values";
import { describeReencryption } from "@/lib/admin/describe-configuration";
import { findSubscriber } from "@/lib/auth/find-subscriber";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { readUnsubscribeToken, unsubscribeToken } from "@/lib/outbound/mail/unsubscribe";
import { signBody } from "@/lib/payments/signature";
import { type Env, env, parseEnv } from "@/lib/runtime/env";
import { decrypt, encrypt, UnknownEncryptionKeyError } from "@/lib/runtime/secrets";
import { reencryptStored } from "@/lib/server/upkeep/reencrypt-stored";
import { call, makeKey } from "@/tests/support/api";
import { ADMIN_SECRET, connectDirectly, useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { signInWithKey } from "@/tests/support/portal";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

/** Gives this process the configuration that it would have after a restart with these variables. */
const restartWith = (variables: Record<string, string>) =>
  Object.assign(env(), parseEnv({ ...process.env, ...variables }));

let before: Env;
beforeEach(() => {
  before = { ...env() };
});
afterEach(() => {
  Object.assign(env(), before);
});

const never = new AbortController().signal;

describe("the encryption key", () => {
  it("the encryption key is replaced in three restarts, after which stored mails and deliveries can be decrypted", async () => {
    const sql = connectDirectly();
    const email = freshEmail();
    await deliver(paymentEvent({ email }));
    const [mail] = await sql`select secret_encrypted from mail_outbox where recipient = ${email}`;
    const key = decrypt(mail?.secret_encrypted);
    expect(mail?.secret_encrypted).toMatch(/^v1\./);

    // First every process can decrypt with the new key, then all encrypt with it.
    restartWith({
      ENCRYPTION_KEY: "",
      ENCRYPTION_KEYS: "1:test-encryption-key-0123456789,2:a-new-key-0123456789",
    });
    expect(encrypt("x")).toMatch(/^v1\./);
    restartWith({
      ENCRYPTION_KEY: "",
      ENCRYPTION_KEYS: "2:a-new-key-0123456789,1:test-encryption-key-0123456789",
    });
    expect(decrypt(mail?.secret_encrypted)).toBe(key);
    await reencryptStored(db(), new Date(), never);
    const first = await readReencryptionState(db());
    expect(first).toMatchObject({ version: 2, nUnreadable: 0 });
    expect(first?.nResealed).toBeGreaterThanOrEqual(2);
    expect(describeReencryption(env(), first)?.value).toMatch(/^\d+ values re-encrypted with key 2/);
    await reencryptStored(db(), new Date(), never);
    expect(describeReencryption(env(), await readReencryptionState(db()))?.value).toBe(
      "all with key 2; the other keys can be removed",
    );

    // The old key is removed: mail and delivery decrypt with the new one.
    restartWith({ ENCRYPTION_KEY: "", ENCRYPTION_KEYS: "2:a-new-key-0123456789" });
    const [again] = await sql`select secret_encrypted from mail_outbox where recipient = ${email}`;
    expect(decrypt(again?.secret_encrypted)).toBe(key);
    const bodies = await sql`select payload_encrypted from payment_deliveries`;
    for (const { payload_encrypted } of bodies)
      expect(Buffer.from(decrypt(payload_encrypted), "base64").toString()).toContain("payment.invoice_paid");
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);
    await sql.end();
  });

  it("a missing encryption key is named by its version, and its ciphertexts are counted and kept", async () => {
    restartWith({ ENCRYPTION_KEY: "", ENCRYPTION_KEYS: "7:the-lost-key-0123456789" });
    const sealed = encrypt("lost");
    const sql = connectDirectly();
    await sql`insert into mail_outbox (dedupe_key, kind, recipient, props, secret_encrypted, status)
              values ('lost/1', 'key-created', 'lost@example.com', '{}', ${sealed}, 'dead')`;
    restartWith({ ENCRYPTION_KEY: "", ENCRYPTION_KEYS: "9:another-0123456789,8:one-more-0123456789" });
    expect(() => decrypt(sealed)).toThrow(UnknownEncryptionKeyError);
    expect(() => decrypt(sealed)).toThrow(/key 7/);
    await reencryptStored(db(), new Date(), never);
    expect((await readReencryptionState(db()))?.nUnreadable).toBeGreaterThanOrEqual(1);
    const [kept] = await sql`select secret_encrypted from mail_outbox where dedupe_key = 'lost/1'`;
    expect(kept?.secret_encrypted).toBe(sealed);
    await sql`delete from mail_outbox where dedupe_key = 'lost/1'`;
    await sql.end();
  });
});

describe("a secret during replacement", () => {
  it("while the webhook's secret is replaced the signatures of old and new are accepted, and afterwards the old one is refused", async () => {
    const renewed = "the-new-webhook-secret-0123456789";
    const signedWith = (secret: string) => {
      const body = JSON.stringify(paymentEvent());
      return deliver(body, { signature: signBody(Buffer.from(body), secret) });
    };
    restartWith({ PAYMENT_WEBHOOK_SECRET: renewed, PAYMENT_WEBHOOK_SECRET_PREVIOUS: WEBHOOK_SECRET });
    expect((await signedWith(renewed)).status).toBe(200);
    expect((await signedWith(WEBHOOK_SECRET)).status).toBe(200);
    expect((await signedWith("neither-of-them-0123456789")).status).toBe(403);
    restartWith({ PAYMENT_WEBHOOK_SECRET: renewed });
    expect((await signedWith(WEBHOOK_SECRET)).status).toBe(403);
  });

  it("while the administrator's secret is replaced the old and the new one work, and afterwards the old one is refused", async () => {
    const renewed = "the-new-admin-secret-0123456789";
    const status = async (admin: string) => (await call("GET", "/admin/keys", { admin })).status;
    restartWith({ ADMIN_SECRET: renewed, ADMIN_SECRET_PREVIOUS: ADMIN_SECRET });
    expect([await status(renewed), await status(ADMIN_SECRET), await status("neither")]).toEqual([
      200, 200, 403,
    ]);
    restartWith({ ADMIN_SECRET: renewed });
    expect(await status(ADMIN_SECRET)).toBe(403);
  });

  it("while the session secret is replaced, a session opened at one replica works at the other at each restart", async () => {
    const { key } = await makeKey();
    const [former, renewed] = [env().nextauthSecret, "the-new-session-secret-0123456789"];
    const none = { NEXTAUTH_SECRET_NEXT: "", NEXTAUTH_SECRET_PREVIOUS: "" };
    const steps = [
      { ...none, NEXTAUTH_SECRET: former },
      { ...none, NEXTAUTH_SECRET: former, NEXTAUTH_SECRET_NEXT: renewed },
      { ...none, NEXTAUTH_SECRET: renewed, NEXTAUTH_SECRET_PREVIOUS: former },
      { ...none, NEXTAUTH_SECRET: renewed },
    ];
    const openAt = async (step: Record<string, string>) => {
      restartWith(step);
      return {
        jar: cookiesOf(new Headers({ cookie: await signInWithKey(key) })),
        token: unsubscribeToken("notice", 1) ?? "",
      };
    };
    const holdsAt = async (
      step: Record<string, string>,
      { jar, token }: Awaited<ReturnType<typeof openAt>>,
    ) => {
      restartWith(step);
      return (await findSubscriber(jar)).kind === "subscriber" && readUnsubscribeToken(token) !== null;
    };
    // While the replicas restart in turn, they are at different steps.
    for (const [at, step] of steps.entries()) {
      const next = steps[at + 1];
      if (next === undefined) continue;
      expect(await holdsAt(next, await openAt(step)), `opened before step ${at + 1}`).toBe(true);
      expect(await holdsAt(step, await openAt(next)), `opened after step ${at + 1}`).toBe(true);
    }
    const opened = await openAt(steps[0]!);
    expect(await holdsAt(steps[2]!, opened), "a session of the first day").toBe(true);
    expect(await holdsAt(steps[3]!, opened), "after the former secret is gone").toBe(false);
  });

  it("the next secret of the metrics or of a platform is read beside the current one; a platform's next one alone is not", () => {
    restartWith({
      METRICS_TOKEN: "the-metrics-token-in-use",
      METRICS_TOKEN_NEXT: "the-metrics-token-to-come",
      STRIPE_WEBHOOK_SECRET: "whsec_in_use_0123456789",
      STRIPE_WEBHOOK_SECRET_NEXT: "whsec_to_come_0123456789",
      STRIPE_WEBHOOK_SECRET_PREVIOUS: "whsec_former_0123456789",
    });
    expect(env().alternates.METRICS_TOKEN).toEqual(["the-metrics-token-to-come"]);
    expect(env().serviceSecrets.STRIPE_WEBHOOK_SECRET).toEqual([
      "whsec_in_use_0123456789",
      "whsec_former_0123456789",
      "whsec_to_come_0123456789",
    ]);
    // A next secret without a current one is not accepted.
    restartWith({
      METRICS_TOKEN: "",
      METRICS_TOKEN_NEXT: "x",
      STRIPE_WEBHOOK_SECRET: "",
      STRIPE_WEBHOOK_SECRET_NEXT: "x",
    });
    expect(env().serviceSecrets.STRIPE_WEBHOOK_SECRET).toEqual([]);
  });
});

import { sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SECRET_FORM } from "@/app/admin/_components/secret-field";
import { POST as secretForms } from "@/app/admin/(area)/secrets/[name]/act/route";
import { POST as confirmLink } from "@/app/admin/sign-in/link/confirm/route";
import { db } from "@/db/client";
import { listAudit } from "@/db/queries/audit";
import { inviteAdministrator, issueAdminLinkToken, readAdminLink } from "@/lib/access/people/administrators";
import { exportSettings } from "@/lib/admin/settings/settings-file";
import { authenticateAdminSession } from "@/lib/auth/admin-session";
import { consumeFlash } from "@/lib/auth/flash";
import { canMailReachPeople } from "@/lib/outbound/mail/can-mail-reach-people";
import { deliverDueMail } from "@/lib/outbound/mail/deliver-mail";
import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { resendTransport } from "@/lib/outbound/mail/transports/resend";
import { botApi } from "@/lib/outbound/telegram/bot-api";
import { signBody } from "@/lib/payments/signature";
import { env, parseEnv } from "@/lib/runtime/env";
import { encrypt } from "@/lib/runtime/secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { reencryptStored } from "@/lib/server/upkeep/reencrypt-stored";
import { readSecretStates } from "@/lib/settings/service-secrets";
import { formRequest, postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";
import { NEVER_ABORTED } from "@/tests/support/mail";
import { startMailCatcher } from "@/tests/support/mail-catcher";
import { deliver, paymentEvent } from "@/tests/support/payments";
import { readLog } from "@/tests/support/portal";
import { startWebhookReceiver } from "@/tests/support/receiver";
import { startResendDouble } from "@/tests/support/resend-double";
import { BOT_TOKEN, startTelegram, type TelegramDouble } from "@/tests/support/telegram-double";

useDatabase();

const FIRST = "the-first-webhook-secret-k1";
const SECOND = "the-second-webhook-secret-k2";
const forms = secretForms.forms;

let cookie = "";
let telegram: TelegramDouble;
beforeAll(async () => {
  cookie = await signInAdmin();
  telegram = await startTelegram();
  env().telegramApiRoot = telegram.root;
});
afterAll(() => telegram.close());
beforeEach(async () => {
  await db().execute(sql`delete from service_secrets`);
  await settingsCache().readAgain();
});

async function send(
  intent: keyof typeof forms,
  name: string,
  fields: Record<string, string> = {},
  by = cookie,
) {
  const answer = await postAdminForm(forms[intent], { name }, fields, { cookie: by });
  const session = await authenticateAdminSession(by.split("=")[1] ?? "");
  return { to: answer.headers.get("location"), flash: await consumeFlash(db(), session!.sessionId) };
}
const store = (name: string, secret: string) => send("store", name, { secret });

/** Invites an owner and signs in as this person. Returns the session cookie. */
async function signInAsOwner(email: string): Promise<string> {
  await inviteAdministrator(db(), { name: "Olga", email, role: "owner" }, { kind: "worker" });
  const token = (await issueAdminLinkToken(db(), email)) ?? "";
  const secret = Secret.fromBase32((await readAdminLink(db(), token))?.authenticator?.secret ?? "");
  const code = new TOTP({ secret, algorithm: "SHA1", digits: 6, period: 30 }).generate();
  const answer = await confirmLink(formRequest("/admin/sign-in/link/confirm", { token, code }));
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** The status of a delivery signed with a secret. */
async function signedWith(secret: string): Promise<number> {
  const body = JSON.stringify(paymentEvent());
  return (await deliver(body, { signature: signBody(Buffer.from(body), secret) })).status;
}

describe("a payment platform's secret", () => {
  it("a secret is stored, replaced while the previous one is still accepted, and removed, each with an audit row", async () => {
    expect(await signedWith(FIRST)).toBe(403);
    expect((await store("PAYMENT_WEBHOOK_SECRET", `  ${FIRST} `)).to).toBe("/admin/payments/platforms");
    expect(await signedWith(FIRST)).toBe(200);

    expect((await store("PAYMENT_WEBHOOK_SECRET", SECOND)).flash).toMatchObject({ kind: "done" });
    expect([await signedWith(FIRST), await signedWith(SECOND)]).toEqual([200, 200]);
    const state = (await readSecretStates(db())).get("PAYMENT_WEBHOOK_SECRET");
    expect(state).toMatchObject({
      isSetByVariable: false,
      stored: { hint: "ends in …k2", hasFormer: true, by: null },
    });

    await send("end-former", "PAYMENT_WEBHOOK_SECRET");
    expect([await signedWith(FIRST), await signedWith(SECOND)]).toEqual([403, 200]);
    await send("remove", "PAYMENT_WEBHOOK_SECRET");
    expect(await signedWith(SECOND)).toBe(403);

    const actions = (await listAudit(db(), {}, 20))
      .map(({ action, target }) => `${action} ${target}`)
      .filter((what) => what.startsWith("secret."));
    expect(actions).toEqual(
      ["secret.remove", "secret.end_former", "secret.replace", "secret.store"].map(
        (action) => `${action} secret/PAYMENT_WEBHOOK_SECRET`,
      ),
    );
  });

  it("a secret is encrypted, and in no audit row, message, log or settings file", async () => {
    await store("STRIPE_WEBHOOK_SECRET", FIRST);
    await store("STRIPE_WEBHOOK_SECRET", SECOND);
    const refused = await store("GUMROAD_WEBHOOK_SECRET", "short-secret-of-gumroad");
    const everything = JSON.stringify([
      await db().execute(sql`select * from service_secrets`),
      await db().execute(sql`select * from admin_audit`),
      await exportSettings(db()),
      refused,
      readLog(),
    ]);
    for (const secret of [FIRST, SECOND, "short-secret-of-gumroad"]) expect(everything).not.toContain(secret);
  });

  it("a stored secret is not used when its variable is set, and its state says so", async () => {
    await store("PAYMENT_WEBHOOK_SECRET", FIRST);
    const { serviceSecrets } = env();
    env().serviceSecrets = { ...serviceSecrets, PAYMENT_WEBHOOK_SECRET: [SECOND] };
    expect([await signedWith(FIRST), await signedWith(SECOND)]).toEqual([403, 200]);
    expect((await readSecretStates(db())).get("PAYMENT_WEBHOOK_SECRET")).toMatchObject({
      isSetByVariable: true,
      stored: { hint: "ends in …k1" },
    });
    env().serviceSecrets = serviceSecrets;
  });

  it.each([
    ["STRIPE_WEBHOOK_SECRET", "   ", "must not be blank"],
    ["STRIPE_WEBHOOK_SECRET", "fifteen-letters", "must have at least 16 characters"],
    ["STRIPE_WEBHOOK_SECRET", "x".repeat(1_001), "must have at most 1000 characters"],
    ["STRIPE_WEBHOOK_SECRET", "two lines\nof a secret", "must be one line of text"],
    ["GUMROAD_WEBHOOK_SECRET", "with blanks, and signs!!!!", "must be 24 to 200 letters, digits, - or _"],
    ["TELEGRAM_BOT_TOKEN", "no-token", "must be a token such as BotFather gives"],
    ["SMTP_URL", "https://mail.example", "must be an address that starts with smtp:// or smtps://"],
  ])(
    "storing the secret %s is refused with the reason at its field: case %#",
    async (name, secret, error) => {
      expect((await send("store", name, { secret, secret_name: name })).flash).toEqual({
        kind: "form",
        form: SECRET_FORM,
        errors: { secret: error },
        values: { secret_name: name },
      });
    },
  );

  it("storing a secret of an unknown name is refused", async () => {
    expect((await store("NO_SUCH_SECRET", FIRST)).flash).toEqual({
      kind: "failed",
      text: "There is no secret of this name.",
    });
  });

  it.each([
    ["smtp://user:password@mail.example.net:5999", "for mail.example.net:5999"],
    ["smtps://mail.example.net", "for mail.example.net"],
    // The slash of the password is not escaped: this address has the host "user" and the port 12.
    ["smtp://user:12/cd@mail.example.net:5999", ""],
  ])("the state of the stored SMTP address %s shows at most its host and port", async (address, hint) => {
    await store("SMTP_URL", address);
    expect((await readSecretStates(db())).get("SMTP_URL")?.stored).toMatchObject({ isReadable: true, hint });
  });

  it("of two secrets stored for one platform at the same time, one becomes the previous secret, so none is lost", async () => {
    const answers = await Promise.all([
      postAdminForm(forms.store, { name: "WHOP_WEBHOOK_SECRET" }, { secret: FIRST }, { cookie }),
      postAdminForm(forms.store, { name: "WHOP_WEBHOOK_SECRET" }, { secret: SECOND }, { cookie }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    // Whichever was stored first is the previous one now, so neither is lost.
    expect((await readSecretStates(db())).get("WHOP_WEBHOOK_SECRET")?.stored?.hasFormer).toBe(true);
  });

  it("a stored secret that cannot be decrypted has no known ending, and its deliveries are refused", async () => {
    const former = { ...env() };
    Object.assign(
      env(),
      parseEnv({ ...process.env, ENCRYPTION_KEY: "", ENCRYPTION_KEYS: "7:a-lost-key-0123456789" }),
    );
    const sealed = encrypt(FIRST);
    Object.assign(env(), former);
    await db().execute(
      sql`insert into service_secrets (name, value_encrypted) values ('PAYMENT_WEBHOOK_SECRET', ${sealed})`,
    );
    await settingsCache().readAgain();
    expect(await signedWith(FIRST)).toBe(403);
    expect((await readSecretStates(db())).get("PAYMENT_WEBHOOK_SECRET")?.stored).toMatchObject({
      isReadable: false,
      hint: "",
    });
  });

  it("a secret is re-encrypted with a new encryption key, including the previous secret", async () => {
    await store("PAYMENT_WEBHOOK_SECRET", FIRST);
    await store("PAYMENT_WEBHOOK_SECRET", SECOND);
    const former = { ...env() };
    const both = "2:a-new-key-0123456789,1:test-encryption-key-0123456789";
    Object.assign(env(), parseEnv({ ...process.env, ENCRYPTION_KEY: "", ENCRYPTION_KEYS: both }));
    await reencryptStored(db(), new Date(), new AbortController().signal);
    const [row] = await db().execute(sql`select value_encrypted, former_encrypted from service_secrets`);
    expect(row).toMatchObject({
      value_encrypted: expect.stringMatching(/^v2\./),
      former_encrypted: expect.stringMatching(/^v2\./),
    });
    await settingsCache().readAgain();
    expect([await signedWith(FIRST), await signedWith(SECOND)]).toEqual([200, 200]);
    Object.assign(env(), former);
  });
});

describe("credentials of mail and Telegram", () => {
  it("stored credentials switch mail to the new transport without a restart", async () => {
    Object.assign(env(), { marketFeed: "off" });
    expect([mailTransport().name, canMailReachPeople()]).toEqual(["outbox", false]);
    await store("SMTP_URL", "smtp://user:a-password@localhost:2525");
    expect([mailTransport().name, canMailReachPeople()]).toEqual(["smtp", true]);
    const smtp = mailTransport();
    expect(mailTransport(), "one transport as long as nothing changes").toBe(smtp);
    await store("SMTP_URL", "smtp://user:another@localhost:2525");
    expect(mailTransport()).not.toBe(smtp);
    await store("RESEND_API_KEY", "re_0123456789abcdef");
    expect(mailTransport().name).toBe("resend");
    await send("remove", "RESEND_API_KEY");
    await send("remove", "SMTP_URL");
    expect(mailTransport().name).toBe("outbox");
  });

  it("a bot token is tested against Telegram, and a replaced one is not kept", async () => {
    expect((await send("try", "TELEGRAM_BOT_TOKEN")).flash).toMatchObject({ text: "There is no token." });
    expect((await store("TELEGRAM_BOT_TOKEN", BOT_TOKEN)).to).toBe("/admin/delivery");
    expect((await send("try", "TELEGRAM_BOT_TOKEN")).flash).toMatchObject({
      kind: "done",
      text: expect.stringMatching(/^Telegram answers: the bot is @/),
    });
    await store("TELEGRAM_BOT_TOKEN", "999:another-token-0123456789");
    expect(botApi()?.token).toBe("999:another-token-0123456789");
    expect((await send("try", "TELEGRAM_BOT_TOKEN")).flash).toMatchObject({ kind: "failed" });
    // A bot token verifies no deliveries, so the previous token is not kept.
    expect((await readSecretStates(db())).get("TELEGRAM_BOT_TOKEN")?.stored?.hasFormer).toBe(false);
  });

  it("mail credentials are tested with a mail to the requesting owner, by SMTP and by Resend", async () => {
    const catcher = await startMailCatcher();
    const resend = await startResendDouble();
    try {
      expect((await send("try", "SMTP_URL")).flash, "the secret of the installation has no address").toEqual({
        kind: "failed",
        text: "You are signed in without an address. Use the form for a test mail below.",
      });
      const owner = await signInAsOwner("tries@people.example");
      await store("SMTP_URL", catcher.url);
      const bySmtp = await send("try", "SMTP_URL", {}, owner);
      expect(bySmtp).toEqual({
        to: expect.stringMatching(/^\/admin\/mail\/\d+$/),
        flash: {
          kind: "done",
          text: "A test mail to you is queued. Reload this page to see whether it was sent.",
        },
      });
      await deliverDueMail(db(), NEVER_ABORTED);
      expect(catcher.to("tries@people.example").map(({ subject }) => subject)).toContainEqual(
        expect.stringMatching(/test/i),
      );

      await store("RESEND_API_KEY", "re_0123456789abcdef");
      const { to } = await send("try", "RESEND_API_KEY", {}, owner);
      await deliverDueMail(db(), NEVER_ABORTED, resendTransport("re_0123456789abcdef", resend.url));
      const mailId = Number(to?.split("/").at(-1));
      const [row] = await db().execute(sql`select status from mail_outbox where id = ${mailId}`);
      expect(row).toEqual({ status: "sent" });
      expect(resend.received.at(-1)).toMatchObject({
        authorization: "Bearer re_0123456789abcdef",
        body: { to: ["tries@people.example"] },
      });
    } finally {
      await Promise.all([catcher.close(), resend.close()]);
    }
  });

  it("OANDA credentials are tested against OANDA, with the error shown", async () => {
    const oanda = await startWebhookReceiver();
    env().oandaApiRoot = oanda.url.replace("/hook", "");
    const tried = async () => (await send("try", "OANDA_TOKEN")).flash;
    try {
      expect(await tried()).toEqual({ kind: "failed", text: "OANDA: there is no token." });
      expect((await store("OANDA_TOKEN", "a-token-of-oanda")).to).toBe("/admin/feeds");
      oanda.answer((response) => response.end('{"accounts": []}'));
      expect(await tried()).toEqual({ kind: "done", text: "OANDA accepts the token." });
      expect(oanda.received[0]).toMatchObject({
        path: "/v3/accounts",
        headers: { authorization: "Bearer a-token-of-oanda" },
      });
      for (const [status, text] of [
        [401, /^OANDA: 127\.0\.0\.1:\d+ does not accept the token \(401\)\.$/],
        [429, / was reached\.$/],
        [500, /answered 500\.$/],
      ] as const) {
        oanda.answer((response) => response.writeHead(status).end());
        expect(await tried()).toEqual({ kind: "failed", text: expect.stringMatching(text) });
      }
      // A redirect would leak the token.
      oanda.answer((response) => response.writeHead(302, { Location: `${oanda.url}/other` }).end());
      expect(await tried()).toMatchObject({ kind: "failed" });
      expect(oanda.received.map(({ path }) => path)).not.toContain("/hook/other");
    } finally {
      await oanda.close();
    }
    expect(await tried(), "nothing listens there").toMatchObject({
      kind: "failed",
      text: expect.stringMatching(/did not answer\.$/),
    });
    expect(readLog()).not.toContain("a-token-of-oanda");
  });
});

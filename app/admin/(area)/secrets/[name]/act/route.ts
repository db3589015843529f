import { z } from "zod";
import { SECRET_LABELS } from "@/app/admin/_components/secret-labels";
import { db } from "@/db/client";
import { findAdministrator } from "@/db/queries/administrators";
import { type FormOutcome, formRoute, NoFields } from "@/lib/auth/form-route";
import { type Administrator, adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { sendTestMail } from "@/lib/outbound/mail/notices";
import { checkTelegramToken } from "@/lib/outbound/telegram/check-telegram-token";
import { adminPaths } from "@/lib/paths";
import type { ServiceSecretName } from "@/lib/runtime/variables";
import {
  endFormerServiceSecret,
  removeServiceSecret,
  requireSecretName,
  storeServiceSecret,
} from "@/lib/settings/service-secrets";
import { checkOandaToken } from "@/lib/signals/feeds/check-oanda-token";
import { AppError } from "@/lib/wire/errors";

interface Params {
  name: string;
}

const common = {
  guard: adminOnly,
  page: ({ name }: Params) =>
    Object.hasOwn(SECRET_LABELS, name)
      ? SECRET_LABELS[requireSecretName(name)].page()
      : adminPaths.settings(),
};

/** POST: stores, tests, replaces and removes a secret of an external service, such as a bot token. */
export const POST = dispatchByIntent({
  /** Encrypts and stores the secret. No message and no returned field contains it. */
  store: formRoute({
    ...common,
    name: "secret.store",
    fields: z.object({ secret: z.string().default("") }),
    act: async ({ params, values, administratorId, actor }) => {
      const name = requireSecretName(params.name);
      const done = await storeServiceSecret(db(), { name, value: values.secret, administratorId }, actor);
      return done === "stored"
        ? "Stored. It is in use everywhere within a second."
        : "Replaced. It is in use everywhere within a second.";
    },
  }),

  "end-former": formRoute({
    ...common,
    name: "secret.end_former",
    fields: NoFields,
    act: async ({ params, actor }) => {
      await endFormerServiceSecret(db(), requireSecretName(params.name), actor);
      return "Ended. The former secret is refused.";
    },
  }),

  remove: formRoute({
    ...common,
    name: "secret.remove",
    fields: NoFields,
    act: async ({ params, actor }) => {
      await removeServiceSecret(db(), requireSecretName(params.name), actor);
      return "Removed.";
    },
  }),

  /** Tests the secret with its service. */
  try: formRoute({
    ...common,
    name: "secret.try",
    fields: NoFields,
    act: ({ params, ...sender }) => trySecret(requireSecretName(params.name), sender),
  }),
});

async function trySecret(
  name: ServiceSecretName,
  { administratorId, actor }: Pick<Administrator, "administratorId" | "actor">,
): Promise<FormOutcome> {
  switch (name) {
    case "TELEGRAM_BOT_TOKEN": {
      const said = await checkTelegramToken();
      return said !== null && "userName" in said
        ? done(`Telegram answers: the bot is @${said.userName}.`)
        : failed(said === null ? "There is no token." : `Telegram refused the call: ${said.code}.`);
    }
    case "OANDA_TOKEN": {
      const problem = await checkOandaToken();
      return problem === null ? done("OANDA accepts the token.") : failed(`OANDA: ${problem}.`);
    }
    case "RESEND_API_KEY":
    case "SMTP_URL": {
      const person = administratorId === null ? null : await findAdministrator(db(), administratorId);
      if (person === null)
        return failed("You are signed in without an address. Use the form for a test mail below.");
      const mailId = await sendTestMail(db(), person.email, actor);
      return {
        ...done("A test mail to you is queued. Reload this page to see whether it was sent."),
        to: adminPaths.mailMessage(mailId),
      };
    }
    default:
      throw new AppError("conflict", { detail: "Use the platform's button “Send a test”." });
  }
}

const done = (text: string): FormOutcome => ({ flash: { kind: "done", text } });
const failed = (text: string): FormOutcome => ({ flash: { kind: "failed", text } });

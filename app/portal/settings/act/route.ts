import { z } from "zod";
import { db } from "@/db/client";
import { deleteAccountWithoutLink } from "@/lib/access/account/delete-account-without-link";
import {
  ACCOUNT_LINK_MINUTES,
  cancelAddressChange,
  requestAddressChange,
  requestDeletion,
} from "@/lib/access/account/requests";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberOnly, subscriberWithFlash } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { signOut } from "@/lib/auth/sign-in";
import { signOutSubscriberEverywhere } from "@/lib/auth/sign-out-subscriber-everywhere";
import { isTimeZone } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { changePreferences } from "@/lib/subscribers/change-preferences";
import { Email } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";

const Preferences = z.object({
  display_name: z.string().trim().max(80),
  time_zone: z.string().refine((zone) => zone === "" || isTimeZone(zone)),
  broker_clock: z.string().regex(/^(new_york|-?[0-9]{1,3})$/),
  mail_reminders: z.literal("true").optional(),
  mail_ea_offline: z.literal("true").optional(),
  mail_models: z.literal("true").optional(),
  mail_notices: z.literal("true").optional(),
  mail_incidents: z.literal("true").optional(),
});

const page = () => paths.portalSettings();

/** POST: the forms of the settings page. */
export const POST = dispatchByIntent({
  /** Saves the preferences. An empty name or zone counts as none. */
  save: formRoute({
    name: "portal.settings",
    guard: subscriberOnly,
    fields: Preferences,
    page: (_, wrong) => paths.portalSettings(wrong === undefined ? {} : { error: wrong }),
    act: async ({ subscriber, actor, values }) => {
      await changePreferences(db(), subscriber, changeOf(values), actor);
      return { to: paths.portalSettings({ saved: "true" }) };
    },
  }),

  /** Mails both addresses to confirm the change. */
  address: formRoute({
    name: "portal.address",
    guard: subscriberWithFlash,
    fields: z.object({ new_email: Email }),
    page,
    act: async ({ subscriber, actor, values }) => {
      if (subscriber.isOwnerEnv) throw new AppError("owner_key_in_environment");
      const { subscriptionId } = subscriber;
      await requestAddressChange(db(), { subscriptionId, newEmail: values.new_email }, actor);
      return `We have mailed a link to both addresses, valid for ${ACCOUNT_LINK_MINUTES} minutes. Nothing changes before both are used.`;
    },
  }),

  /** Cancels the change of address that waits for its links. */
  "cancel-address": formRoute({
    name: "portal.cancel_address",
    guard: subscriberWithFlash,
    fields: NoFields,
    page,
    act: async ({ subscriber, actor }) =>
      (await cancelAddressChange(db(), subscriber.subscriptionId, actor))
        ? "The change of the address is cancelled. Its mailed links no longer work."
        : "There is no change of the address to cancel: it was cancelled, completed or has expired.",
  }),

  /** Mails the link that deletes the account; without a stored address the account is deleted at once. */
  "delete-account": formRoute({
    name: "portal.delete_account",
    guard: subscriberWithFlash,
    fields: z.object({ typed_word: z.string().default("") }),
    page,
    act: async ({ request, subscriber, actor, values }) => {
      if (subscriber.isOwnerEnv) throw new AppError("owner_key_in_environment");
      if (values.typed_word.trim() !== "DELETE") return {};
      if (await requestDeletion(db(), subscriber.subscriptionId, actor))
        return `A mail is on its way, with a link that works for ${ACCOUNT_LINK_MINUTES} minutes. Nothing is deleted before you use it.`;
      if (!subscriber.isFresh) return { to: paths.login(paths.portalSettings(), { notice: "again" }) };

      await deleteAccountWithoutLink(db(), subscriber.subscriptionId, actor);

      return { to: paths.accountDone("deleted"), cookies: await signOut(request) };
    },
  }),

  /** Ends the person's sessions, and other people's sessions that have selected the subscription. */
  "sign-out-everywhere": formRoute({
    name: "portal.sign_out_everywhere",
    guard: subscriberOnly,
    fields: NoFields,
    page,
    act: async ({ request, subscriber, actor }) => {
      await signOutSubscriberEverywhere(db(), subscriber, actor);
      return {
        to: paths.login(undefined, { notice: "signed_out_everywhere" }),
        cookies: await signOut(request),
      };
    },
  }),
});

/** All fields of the form, so that an empty one removes a stored value. */
function changeOf(form: z.output<typeof Preferences>) {
  return {
    displayName: form.display_name.replace(/\p{C}/gu, "") || undefined,
    timeZone: form.time_zone || undefined,
    brokerOffsetMinutes: form.broker_clock === "new_york" ? undefined : Number(form.broker_clock),
    mailReminders: form.mail_reminders === "true",
    mailEaOffline: form.mail_ea_offline === "true",
    mailModels: form.mail_models === "true",
    mailNotices: form.mail_notices === "true",
    mailIncidents: form.mail_incidents === "true",
  } satisfies Parameters<typeof changePreferences>[2];
}

import { z } from "zod";
import { formatInstant } from "@/app/_components/times";
import { db } from "@/db/client";
import { deleteAccountOnWrittenRequest } from "@/lib/access/account/delete-account-without-link";
import { changeGrant } from "@/lib/access/keys/change-grant";
import { changeKeyEnd } from "@/lib/access/keys/change-key-end";
import { convertToFullKey, stopTryOut } from "@/lib/access/keys/change-try-out";
import { issueNextKey } from "@/lib/access/keys/issue-next-key";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import { reinstateKey, suspendKey } from "@/lib/access/keys/suspend-key";
import { editSubscriberContact } from "@/lib/admin/edit-subscriber-contact";
import { requireKnownSymbols } from "@/lib/admin/form-checks";
import {
  ConfirmedField,
  END_FIELDS,
  END_NOT_CHOSEN,
  IdField,
  isEndChosen,
  NotesField,
  OptionalEmail,
  PlanField,
  parseId,
  RateLimitField,
  ShownInstant,
  SymbolList,
  TimeframeList,
} from "@/lib/admin/form-fields";
import { requireKeyOfSubscriber } from "@/lib/admin/require-key-of-subscriber";
import { clientAddress } from "@/lib/api/client-address";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { endPortalView, openPortalView } from "@/lib/auth/portal-view";
import { resendKeyMail } from "@/lib/outbound/mail/outbox";
import { adminPaths, paths } from "@/lib/paths";
import { DAY_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { PersonName } from "@/lib/wire/person-name";

/** Must be typed before an account is deleted. */
const DELETE_WORD = "DELETE";

const common = {
  guard: adminOnly,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
};
const OneKey = z.object({ key_id: IdField });
const Extension = z
  .object({
    key_id: IdField,
    shown_end: ShownInstant,
    ...END_FIELDS,
    /** Set by the buttons that extend by a number of days. The other button sends `expires_at` or `no_end` instead. */
    add_days: z.enum(["31", "92", "365"]).optional(),
  })
  .refine((form) => form.add_days !== undefined || isEndChosen(form), END_NOT_CHOSEN);
const Grant = z.object({
  key_id: IdField,
  plan_tier: PlanField,
  symbols_allowed: SymbolList,
  tfs_allowed: TimeframeList,
  rate_limit_per_min: RateLimitField,
  symbols_to_come: ConfirmedField,
});

/** POST: the forms on the page of a subscriber. */
export const POST = dispatchByIntent({
  contact: formRoute({
    ...common,
    name: "subscriber.contact",
    fields: z.object({
      user_name: PersonName,
      email: OptionalEmail,
      notes: NotesField,
      same_address: ConfirmedField,
    }),
    act: async ({ values, actor, role, params }) => {
      const contact = { userName: values.user_name, email: values.email, notes: values.notes };
      await editSubscriberContact(db(), parseId(params.id), contact, {
        actor,
        role,
        mayShareAddress: values.same_address,
      });
      return "Saved.";
    },
  }),

  /**
   * Moves the end of a key to a date, or by a number of days. Days count from the present end, or from now if that has
   * passed.
   */
  extend: formRoute({
    ...common,
    name: "key.extend",
    fields: Extension,
    act: async ({ values, actor, params }) => {
      const now = new Date();
      const key = await requireKeyOfSubscriber(db(), params, values.key_id);
      const until =
        values.add_days === undefined
          ? (values.expires_at ?? null)
          : later(values.shown_end, Number(values.add_days), now);
      await changeKeyEnd(db(), key.keyId, until, actor, now, values.shown_end);
      return until === null ? "Access no longer ends." : `Access now ends on ${formatInstant(until)}.`;
    },
  }),

  /** Changes plan and limits of a key, from its next request on. */
  grant: formRoute({
    ...common,
    name: "key.grant",
    fields: Grant,
    act: async ({ values, actor, params }) => {
      const { keyId } = await requireKeyOfSubscriber(db(), params, values.key_id);
      await requireKnownSymbols(values.symbols_allowed, values.symbols_to_come);
      const { action } = await changeGrant(
        db(),
        keyId,
        {
          planTier: values.plan_tier,
          symbolsAllowed: values.symbols_allowed,
          tfsAllowed: values.tfs_allowed,
          rateLimitPerMin: values.rate_limit_per_min,
        },
        actor,
      );
      return action === "changed"
        ? "Plan and limits are changed. They apply from the next request on."
        : "Plan and limits are the same as before: nothing was changed.";
    },
  }),

  /** Ends a try-out now, as its end date would. */
  "stop-try-out": formRoute({
    ...common,
    name: "key.stop_try_out",
    fields: OneKey,
    act: async ({ values, actor, params }) => {
      const { keyId } = await requireKeyOfSubscriber(db(), params, values.key_id);
      await stopTryOut(db(), keyId, actor);
      return "The try-out has ended. The next request with its key is refused.";
    },
  }),

  /** Turns a try-out key into a full key. Its end date stays the same. */
  "make-full": formRoute({
    ...common,
    name: "key.make_full",
    fields: OneKey,
    act: async ({ values, actor, params }) => {
      const { keyId } = await requireKeyOfSubscriber(db(), params, values.key_id);
      await convertToFullKey(db(), keyId, actor);
      return "The key is a full key now. It gets signals at once, from its next request on.";
    },
  }),

  /** Creates a key for a subscriber whose keys have all ended; the next page shows it once. */
  issue: formRoute({
    ...common,
    name: "key.issue",
    fields: z.object(END_FIELDS).refine(isEndChosen, END_NOT_CHOSEN),
    act: async ({ values, actor, params }) => {
      const issued = await issueNextKey(
        db(),
        parseId(params.id),
        values.expires_at ?? null,
        actor,
        new Date(),
      );
      return {
        to: adminPaths.subscriberKey(issued.subscriptionId),
        flash: { kind: "key", keyId: issued.keyId, apiKey: issued.apiKey },
      };
    },
  }),

  /** Suspends a key until it is reinstated. */
  suspend: formRoute({
    ...common,
    name: "key.suspend",
    fields: OneKey,
    act: async ({ values, actor, params }) => {
      const { keyId } = await requireKeyOfSubscriber(db(), params, values.key_id);
      const { action } = await suspendKey(db(), keyId, actor);
      return action === "suspended"
        ? "The key is suspended. The next request with it is refused until you reinstate it."
        : "The key was suspended already.";
    },
  }),

  reinstate: formRoute({
    ...common,
    name: "key.reinstate",
    fields: OneKey,
    act: async ({ values, actor, params }) => {
      const { keyId } = await requireKeyOfSubscriber(db(), params, values.key_id);
      const { action } = await reinstateKey(db(), keyId, actor);
      return action === "reinstated"
        ? "The key is reinstated: it works again from the next request on. Its end is unchanged."
        : "The key was not suspended.";
    },
  }),

  /** Revokes a key for good. */
  revoke: formRoute({
    ...common,
    name: "key.revoke",
    fields: OneKey,
    act: async ({ values, actor, params }) => {
      const { keyId } = await requireKeyOfSubscriber(db(), params, values.key_id);
      const { action } = await revokeKey(db(), keyId, actor);
      return action === "revoked"
        ? "The key is revoked. The next request with it is refused."
        : "The key had ended already.";
    },
  }),

  /** Replaces a working key, mails the new one to the stored address and shows it once. */
  replace: formRoute({
    ...common,
    name: "key.replace",
    fields: OneKey,
    act: async ({ values, actor, params }) => {
      const { keyId, subscriptionId } = await requireKeyOfSubscriber(db(), params, values.key_id);
      const rotated = await rotateKey(db(), { keyId, subscriptionId }, actor);
      return {
        to: adminPaths.subscriberKey(subscriptionId),
        flash: { kind: "key", keyId: rotated.keyId, apiKey: rotated.apiKey },
      };
    },
  }),

  /** Sends the mail with the key again. This is possible only while the key is still stored in the mail queue. */
  "key-mail": formRoute({
    ...common,
    name: "mail.resend_key",
    fields: NoFields,
    act: async ({ actor, params }) => {
      const mailId = await resendKeyMail(db(), parseId(params.id), actor);
      return {
        to: adminPaths.mailMessage(mailId),
        flash: { kind: "done", text: "Queued again. It is sent within about a second." },
      };
    },
  }),

  /** Deletes an account on a request made outside of the portal. */
  "delete-account": formRoute({
    ...common,
    name: "account.delete",
    fields: z.object({ typed_word: z.string() }),
    act: async ({ values, actor, params }) => {
      if (values.typed_word.trim() !== DELETE_WORD)
        return { flash: { kind: "failed", text: `Type ${DELETE_WORD} to delete the account.` } };
      await deleteAccountOnWrittenRequest(db(), parseId(params.id), actor);
      return "The account is deleted. Positions and invoices stay without a name.";
    },
  }),

  /** Opens the subscriber's portal read-only for half an hour. */
  view: formRoute({
    ...common,
    name: "portal.view",
    fields: NoFields,
    act: async ({ request, params, sessionId, administratorId, actor }) => {
      const looker = { sessionId, administratorId, actor, address: clientAddress(request.headers) };
      const cookie = await openPortalView(looker, parseId(params.id));
      return { to: paths.portal(), cookies: [cookie] };
    },
  }),

  "end-view": formRoute({
    ...common,
    name: "portal.view_end",
    fields: NoFields,
    act: async ({ sessionId, actor }) => {
      const cookie = await endPortalView({ sessionId, actor });
      return {
        cookies: [cookie],
        flash: {
          kind: "done",
          text: "The view is closed. The subscriber finds it in the portal's settings.",
        },
      };
    },
  }),
});

function later(expiresAt: Date | null, days: number, now: Date): Date {
  if (expiresAt === null)
    throw new AppError("conflict", { detail: "This access has no end date, so days cannot be added." });
  return new Date(Math.max(now.getTime(), expiresAt.getTime()) + days * DAY_MS);
}

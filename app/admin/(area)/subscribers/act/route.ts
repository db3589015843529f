import { z } from "zod";
import {
  subscriberListFilters,
  subscriberListParams,
  toSubscriberFilter,
} from "@/app/admin/(area)/subscribers/_components/subscriber-filters";
import { EXTENSION_DAY_CHOICES } from "@/app/admin/(area)/subscribers/extend/extend-days";
import { db } from "@/db/client";
import { applyBulkKeyAction } from "@/lib/access/keys/bulk-action";
import { extendAccessInBulk } from "@/lib/access/keys/extend-access-in-bulk";
import { issueKey } from "@/lib/access/keys/issue-key";
import { requireKnownSymbols, requireUnusedAddress } from "@/lib/admin/form-checks";
import {
  ConfirmedField,
  END_FIELDS,
  END_NOT_CHOSEN,
  isEndChosen,
  NotesField,
  OptionalEmail,
  PlanField,
  RateLimitField,
  SymbolList,
  TimeframeList,
} from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import { BULK_KEY_ACTIONS } from "@/lib/vocabulary";
import { PersonName } from "@/lib/wire/person-name";

const { q, state, expiring, ea, try_out, ids } = subscriberListFilters();

/** The list that the administrator saw: its filter and its number of rows. */
const ShownList = z.object({
  q: q.reads,
  // Plans are database rows: an unknown name matches no subscriber, so the count differs from the one shown and the
  // action is refused.
  plan: z
    .string()
    .optional()
    .transform((name) => name || undefined),
  state: state.reads,
  expiring: expiring.reads,
  ea: ea.reads,
  try_out: try_out.reads,
  ids: ids.reads,
  shown: z
    .string()
    .regex(/^[0-9]{1,9}$/, "must be a number")
    .transform(Number),
});

const DONE = {
  suspend: "suspended. The next request with them is refused until they are reinstated.",
  revoke: "revoked for good. The next request with them is refused.",
  reinstate: "reinstated and work again.",
} as const;

const LIST_CHANGED = {
  kind: "failed",
  text: "The list has changed in the meantime. Check it again.",
} as const;

/** POST: the forms of the list of subscribers. */
export const POST = dispatchByIntent({
  /** Creates a subscriber with a first key, which the next page shows once. */
  create: formRoute({
    name: "subscriber.create",
    guard: adminOnly,
    fields: z
      .object({
        user_name: PersonName,
        email: OptionalEmail,
        notes: NotesField,
        plan_tier: PlanField,
        ...END_FIELDS,
        symbols_allowed: SymbolList,
        tfs_allowed: TimeframeList,
        rate_limit_per_min: RateLimitField,
        symbols_to_come: ConfirmedField,
        same_address: ConfirmedField,
      })
      .refine(isEndChosen, END_NOT_CHOSEN),
    page: () => adminPaths.newSubscriber(),
    act: async ({ values, actor }) => {
      await requireKnownSymbols(values.symbols_allowed, values.symbols_to_come);
      await requireUnusedAddress(db(), values.email, values.same_address);
      const issued = await issueKey(
        db(),
        {
          userName: values.user_name,
          email: values.email,
          planTier: values.plan_tier,
          expiresAt: values.expires_at ?? null,
          notes: values.notes,
          symbolsAllowed: values.symbols_allowed,
          tfsAllowed: values.tfs_allowed,
          rateLimitPerMin: values.rate_limit_per_min,
        },
        actor,
        new Date(),
      );
      return {
        to: adminPaths.subscriberKey(issued.subscriptionId),
        flash: { kind: "key", keyId: issued.keyId, apiKey: issued.apiKey },
      };
    },
  }),

  /** Extends access of everyone in the list that was shown. */
  "extend-many": formRoute({
    name: "key.extend_many",
    guard: adminOnly,
    fields: ShownList.extend({
      days: z.enum(EXTENSION_DAY_CHOICES, "must be one of the offered numbers of days"),
      form_id: z.uuid("must be the id of the form"),
    }),
    page: () => adminPaths.extendMany(),
    act: async ({ values: { days, shown, form_id: formId, ...list }, actor }) => {
      const filter = toSubscriberFilter(list);
      // After an error the form keeps the list's filter: without it, sending it again would change other subscribers.
      const to = adminPaths.extendMany({ ...subscriberListParams(list), form: formId });
      const done = await extendAccessInBulk(
        db("heavy"),
        { filter, days: Number(days), shown, formId },
        actor,
      );
      if (done === null) return { to, flash: LIST_CHANGED };
      const { nExtended, nRemaining } = done;
      const follow =
        nRemaining === 0
          ? ""
          : ` The other ${countWithNoun(nRemaining, "subscriber")} follow within minutes. The page Extend access shows the progress.`;
      return {
        // Redirects to the list, because the form would count the subscribers again by their new end dates.
        to: adminPaths.subscribers({ ...subscriberListParams(list), ids: undefined }),
        flash: {
          kind: "done",
          text: `Access of ${countWithNoun(nExtended, "subscriber")} ends ${countWithNoun(done.days, "day")} later.${follow}`,
        },
      };
    },
  }),

  /** Suspends, revokes or reinstates the keys of everyone in the list that was shown. */
  "stop-many": formRoute({
    name: "key.stop_many",
    guard: adminOnly,
    fields: ShownList.extend({
      act: z.enum(BULK_KEY_ACTIONS, "must be suspend, revoke or reinstate"),
      typed_word: z.string().default(""),
    }),
    page: () => adminPaths.stopMany(),
    act: async ({ values: { act, shown, typed_word, ...list }, actor }) => {
      const filter = toSubscriberFilter(list);
      // After an error the form keeps the list's filter: without it, sending it again would change other subscribers.
      const to = adminPaths.stopMany(subscriberListParams(list));
      if (act !== "reinstate" && typed_word.trim() !== act.toUpperCase())
        return { to, flash: { kind: "failed", text: `Type ${act.toUpperCase()} to confirm.` } };
      const n = await applyBulkKeyAction(db("heavy"), { filter, act, shown }, actor);
      if (n === null) return { to, flash: LIST_CHANGED };
      return {
        to: adminPaths.subscribers({ ...subscriberListParams(list), ids: undefined }),
        flash: { kind: "done", text: `${countWithNoun(n, "key is", "keys are")} ${DONE[act]}` },
      };
    },
  }),
});

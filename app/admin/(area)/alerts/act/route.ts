import { z } from "zod";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { changeAlertSettings, sendTestAlert } from "@/lib/outbound/alerts/alert-preferences";
import { adminPaths } from "@/lib/paths";
import type { Actor } from "@/lib/runtime/audit";
import { ALERT_METHODS, ALERT_TOPICS } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";

const Tick = z.literal("true").optional();
const Hour = z
  .string()
  .regex(/^(?:|[0-9]|1[0-9]|2[0-3])$/, "must be an hour")
  .transform((hour) => (hour === "" ? null : Number(hour)));
const Optional = z
  .string()
  .trim()
  .transform((text) => (text === "" ? null : text));

const Choice = z.object({
  topic_health: Tick,
  topic_payments_refused: Tick,
  topic_unmapped_product: Tick,
  topic_dead_letters: Tick,
  topic_disk_or_backup: Tick,
  topic_champion_demoted: Tick,
  topic_silent_clients: Tick,
  topic_own_model_late: Tick,
  way: z.enum(ALERT_METHODS, "must be one of the offered ways"),
  telegram_chat_id: z
    .string()
    .trim()
    .regex(/^(?:|-?[0-9]{1,15})$/, "must be the number of a chat")
    .transform((id) => (id === "" ? null : Number(id))),
  url: Optional,
  new_secret: Tick,
  time_zone: z.string().max(64),
  quiet_from: Hour,
  quiet_to: Hour,
});

const common = { guard: adminOnly, page: () => adminPaths.alerts() };

/** POST: stores the alert settings of the signed-in owner, or sends them a test alert. */
export const POST = dispatchByIntent({
  /** Stores which alerts the owner gets, and by which channels. */
  save: formRoute({
    ...common,
    name: "alerts.save",
    fields: Choice,
    act: async ({ values, actor }) => {
      const secret = await changeAlertSettings(
        db(),
        personOf(actor),
        {
          topics: ALERT_TOPICS.filter((topic) => values[`topic_${topic}`] === "true"),
          way: values.way,
          telegramChatId: values.telegram_chat_id,
          webhookUrl: values.url,
          newSecret: values.new_secret === "true",
          timeZone: values.time_zone,
          quietFrom: values.quiet_from,
          quietTo: values.quiet_to,
        },
        actor,
      );
      return secret === null ? "Saved." : `Saved. Your server's secret, shown only now: ${secret}`;
    },
  }),

  /** Sends the owner a test alert through the channels that they chose. */
  test: formRoute({
    ...common,
    name: "alerts.test",
    fields: NoFields,
    act: async ({ actor }) => {
      await sendTestAlert(db(), personOf(actor), actor);
      return "The test is on its way.";
    },
  }),
});

function personOf(actor: Actor): number {
  if (actor.kind === "administrator") return actor.administratorId;
  throw new AppError("conflict", { detail: "Sign in as a person to choose your alerts." });
}

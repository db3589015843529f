import { z } from "zod";
import { db } from "@/db/client";
import type { IncidentReference } from "@/db/queries/incidents";
import { IdField, RequiredText, UtcMinute } from "@/lib/admin/form-fields";
import { announceMaintenance, withdrawMaintenance } from "@/lib/admin/maintenances";
import { postIncident, postIncidentUpdate } from "@/lib/admin/posted-incidents";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";
import { INCIDENT_SEVERITIES, INCIDENT_STAGES } from "@/lib/vocabulary";
import { invalidField } from "@/lib/wire/errors";

const common = { guard: adminOnly, page: () => adminPaths.statusPage() };

const SOON = "It shows on the status page within five seconds.";

/** The incident of an update: `posted/3` for a written one, `incident/17` for an automatic one. */
const IncidentField = z.string().transform((text, context): IncidentReference => {
  const [, kind, id] = /^(posted|incident)\/(\d{1,9})$/.exec(text) ?? [];
  if (kind !== undefined) return kind === "posted" ? { postedId: Number(id) } : { incidentId: Number(id) };
  context.addIssue({ code: "custom", message: "must be an incident" });
  return z.NEVER;
});

/** POST: publishes incidents and their updates, and announces and withdraws maintenance. */
export const POST = dispatchByIntent({
  /** Publishes an incident on the status page. */
  post: formRoute({
    ...common,
    name: "incident.post",
    fields: z.object({
      title: RequiredText(120).refine((text) => !/\p{Cc}/u.test(text), "must be one line of text"),
      severity: z.enum(INCIDENT_SEVERITIES, "must be degraded or down"),
      message: RequiredText(2_000),
      newest_shown: IdField,
    }),
    act: async ({ values: { newest_shown, ...incident }, actor }) => {
      await postIncident(db(), incident, actor, newest_shown);
      return `Published. ${SOON}`;
    },
  }),

  /** Adds an update to an incident, or resolves it. */
  update: formRoute({
    ...common,
    name: "incident.update",
    fields: z.object({
      incident: IncidentField,
      stage: z.enum(INCIDENT_STAGES, "must be a stage"),
      message: RequiredText(2_000),
    }),
    act: async ({ values: { incident, ...update }, actor }) => {
      await postIncidentUpdate(db(), incident, update, actor);
      return `${update.stage === "resolved" ? "Resolved" : "Update published"}. ${SOON}`;
    },
  }),

  announce: formRoute({
    ...common,
    name: "maintenance.announce",
    fields: z.object({ starts_at: UtcMinute, ends_at: UtcMinute, message: RequiredText(500) }),
    act: async ({ values, actor }) => {
      const { starts_at: startsAt, ends_at: endsAt, message } = values;
      if (startsAt === null) throw invalidField("body", "starts_at", "must be a date and time");
      if (endsAt === null) throw invalidField("body", "ends_at", "must be a date and time");
      await announceMaintenance(db(), { startsAt, endsAt, message }, actor, new Date());
      return `Announced. ${SOON}`;
    },
  }),

  withdraw: formRoute({
    ...common,
    name: "maintenance.withdraw",
    fields: z.object({ id: IdField }),
    act: async ({ values, actor }) => {
      await withdrawMaintenance(db(), values.id, actor, new Date());
      return "The announcement is withdrawn.";
    },
  }),
});

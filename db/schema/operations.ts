import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { HEALTH_STATES, type HealthState, INCIDENT_SEVERITIES, INCIDENT_STAGES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { administrators } from "./people";

/**
 * Health probes: the state of the service, once a minute. After the first probe, a minute without a probe counts as
 * down.
 */
export const healthProbes = pgTable("health_probes", {
  /** Start of the minute. */
  minute: instant("minute").primaryKey(),
  status: text("status", { enum: HEALTH_STATES }).notNull(),
  reasons: text("reasons").array().notNull().default(sql`'{}'::text[]`),
  /** State of each component in that minute. */
  components: jsonb("components").$type<Record<string, HealthState>>().notNull().default({}),
});

/**
 * Number of probes by UTC day and component, including the whole service (`service`), so that the uptime of ninety days can
 * be read without 130,000 probes. Maintained by a trigger on health_probes, in the transaction of each probe.
 */
export const probeDays = pgTable(
  "probe_days",
  {
    day: date("day").notNull(),
    component: text("component").notNull(),
    nProbes: integer("n_probes").notNull(),
    nDown: integer("n_down").notNull(),
    nDegraded: integer("n_degraded").notNull(),
    /** Minute of the component's first probe of that day. */
    firstAt: instant("first_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.component] })],
);

/**
 * Automatic incidents. An incident opens when two consecutive probes find its component in the same state, degraded or
 * down, and closes when two find it ok. A gap of over three minutes between probes is stored as an incident that is
 * closed already.
 */
export const incidents = pgTable(
  "incidents",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    component: text("component").notNull(),
    severity: text("severity", { enum: INCIDENT_SEVERITIES }).notNull(),
    reasons: text("reasons").array().notNull(),
    openedAt: instant("opened_at").notNull(),
    closedAt: instant("closed_at"),
  },
  (t) => [
    // status page: newest first
    index("incidents_opened").on(t.openedAt),
    // one open incident per component, however many workers probe
    uniqueIndex("incidents_open").on(t.component).where(sql`closed_at is null`),
    check("incidents_severity", oneOf(t.severity, INCIDENT_SEVERITIES)),
  ],
);

/** Incidents written by administrators, in addition to the automatic ones. */
export const postedIncidents = pgTable(
  "posted_incidents",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    title: text("title").notNull(),
    severity: text("severity", { enum: INCIDENT_SEVERITIES }).notNull(),
    openedAt: instant("opened_at").notNull().defaultNow(),
    resolvedAt: instant("resolved_at"),
  },
  (t) => [
    // status page: newest first
    index("posted_incidents_opened").on(t.openedAt),
    check("posted_incidents_severity", oneOf(t.severity, INCIDENT_SEVERITIES)),
  ],
);

/**
 * Updates of incidents, written by an administrator, or automatically when an incident worsens or its cause changes. Rows
 * never change.
 */
export const incidentUpdates = pgTable(
  "incident_updates",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    /** The automatic incident that is updated; null: `posted_id` is updated, an incident written by an administrator. */
    incidentId: integer("incident_id").references(() => incidents.id, { onDelete: "cascade" }),
    postedId: integer("posted_id").references(() => postedIncidents.id),
    stage: text("stage", { enum: INCIDENT_STAGES }).notNull(),
    message: text("message").notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // updates of the automatic incidents on the status page
    index("incident_updates_incident").on(t.incidentId).where(sql`incident_id is not null`),
    // updates of incidents written by administrators, on the status page
    index("incident_updates_posted").on(t.postedId).where(sql`posted_id is not null`),
    check("incident_updates_stage", oneOf(t.stage, INCIDENT_STAGES)),
    check("incident_updates_of_one", sql`num_nonnulls(${t.incidentId}, ${t.postedId}) = 1`),
  ],
);

/** Maintenance periods that an administrator announced. */
export const maintenances = pgTable("maintenances", {
  id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
  startsAt: instant("starts_at").notNull(),
  endsAt: instant("ends_at").notNull(),
  message: text("message").notNull(),
  createdAt: createdAt(),
});

/** Audit log: who did what, when and from which address. */
export const adminAudit = pgTable(
  "admin_audit",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** Who acted, as `actorName` writes it: `administrator/<id>`, `subscriber/<id>`, `webhook`, `worker` and others. */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    /** Object of the action, such as `key/17`. */
    target: text("target").notNull(),
    subscriptionId: integer("subscription_id"),
    details: jsonb("details").$type<Record<string, unknown>>().notNull().default({}),
    address: text("address"),
    requestId: text("request_id"),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // the log, newest first
    index("admin_audit_at").on(t.at),
    // the log of one kind of action
    index("admin_audit_action").on(t.action, t.at),
    // the log of one actor
    index("admin_audit_actor").on(t.actor, t.id),
    // next addresses that retention deletes
    index("admin_audit_addressed").on(t.at).where(sql`address is not null`),
    // a subscriber's timeline
    index("admin_audit_subscription").on(t.subscriptionId, t.at),
    // operator's search: actions of a request
    index("admin_audit_request").on(t.requestId).where(sql`request_id is not null`),
  ],
);

/** Audit entries that wait to be sent to AUDIT_WEBHOOK_URL. A row is deleted when its entry has been delivered. */
export const auditWebhookQueue = pgTable("audit_posts", {
  auditId: bigint("audit_id", { mode: "number" })
    .primaryKey()
    .references(() => adminAudit.id, { onDelete: "cascade" }),
  attempts: integer("attempts").notNull().default(0),
  nextAttemptAt: instant("next_attempt_at").notNull().defaultNow(),
  /** Why the last attempt failed; null: none has failed. */
  lastCode: text("last_code"),
  createdAt: createdAt(),
});

/** Settings and small states of the service, by name, as JSON. */
export const settings = pgTable("settings", {
  name: text("name").primaryKey(),
  value: jsonb("value").notNull(),
  updatedAt: instant("updated_at").notNull().defaultNow(),
});

/** Encrypted secrets of external services, entered by an owner. An environment variable of the same name takes precedence. */
export const serviceSecrets = pgTable("service_secrets", {
  name: text("name").primaryKey(),
  valueEncrypted: text("value_encrypted").notNull(),
  /** The previous secret, which is accepted until an owner deletes it or stores another secret; null: none. */
  formerEncrypted: text("former_encrypted"),
  storedAt: instant("stored_at").notNull().defaultNow(),
  /** The administrator who stored it; null: stored in a session opened with the administrator secret. */
  administratorId: integer("administrator_id").references(() => administrators.id),
});

/**
 * Last recorded run of each background job, and counts of recorded runs. Of jobs that run often, only failures are
 * recorded, and the first success after one.
 */
export const jobRuns = pgTable("job_runs", {
  job: text("job").primaryKey(),
  lastStartedAt: instant("last_started_at").notNull(),
  lastFinishedAt: instant("last_finished_at"),
  lastErrorCode: text("last_error_code"),
  nRuns: bigint("n_runs", { mode: "number" }).notNull().default(0),
  nErrors: bigint("n_errors", { mode: "number" }).notNull().default(0),
});

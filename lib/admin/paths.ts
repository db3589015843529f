import { query } from "@/lib/paths";
import type { ExportName } from "./export-csv";

type Values = Record<string, string | number | undefined>;

/** Every address of the administrator's area. */
export const adminPaths = {
  overview: () => "/admin",
  signIn: (options: { next?: string | undefined; reason?: "ended" | "wrong" | "wait" | undefined } = {}) =>
    `/admin/sign-in${query(options)}`,
  signInForm: () => "/admin/sign-in/enter",
  signOut: () => "/admin/sign-out",
  subscribers: (filter: Values = {}) => `/admin/subscribers${query(filter)}`,
  newSubscriber: () => "/admin/subscribers/new",
  createSubscriber: () => "/admin/subscribers/create",
  subscriber: (id: number, filter: Values = {}) => `/admin/subscribers/${id}${query(filter)}`,
  subscriberKey: (id: number) => `/admin/subscribers/${id}/key`,
  subscriberForm: (id: number, form: "revoke" | "replace" | "extend" | "grant" | "contact" | "issue") =>
    `/admin/subscribers/${id}/${form}`,
  signals: () => "/admin/signals",
  slot: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/admin/signals/${encodeURIComponent(symbol)}/${timeframe}${query(filter)}`,
  models: (filter: Values = {}) => `/admin/models${query(filter)}`,
  model: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/admin/models/${encodeURIComponent(symbol)}/${timeframe}${query(filter)}`,
  payments: (filter: Values = {}) => `/admin/payments${query(filter)}`,
  delivery: (id: number) => `/admin/payments/${id}`,
  deliveryForm: (id: number, form: "reveal" | "reapply" | "review") => `/admin/payments/${id}/${form}`,
  mail: (filter: Values = {}) => `/admin/mail${query(filter)}`,
  mailMessage: (id: number) => `/admin/mail/${id}`,
  mailMessageHtml: (id: number) => `/admin/mail/${id}/preview.html`,
  mailTemplates: () => "/admin/mail/templates",
  mailTemplateHtml: (kind: string) => `/admin/mail/templates/${kind}.html`,
  resendMail: (id: number) => `/admin/mail/${id}/resend`,
  operations: () => "/admin/operations",
  audit: (filter: Values = {}) => `/admin/operations/audit${query(filter)}`,
  announceMaintenance: () => "/admin/operations/announce",
  withdrawMaintenance: (id: number) => `/admin/operations/maintenance/${id}/withdraw`,
  export: (what: ExportName) => `/admin/operations/export/${what}`,
} as const;

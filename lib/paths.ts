/** Every address inside the site, as a function, so that a link cannot be misspelt in one place only. */

type Values = Record<string, string | number | undefined>;

/** A query string of the values that are there; empty when none is. */
export const query = (values: Values): string => {
  const entries = Object.entries(values).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

/** Pages of the documentation besides its first. */
export type DocsPage =
  | "authentication"
  | "signals"
  | "live"
  | "executions"
  | "metatrader"
  | "limits"
  | "errors"
  | "webhooks"
  | "webhooks-out"
  | "telegram"
  | "agents"
  | "ea-kit"
  | "glossary"
  | "operations"
  | "reference";

/** Files of the kit for trading clients. */
export type EaKitFile =
  | "SignalDelivery.mqh"
  | "SignalFollower.mq5"
  | "SignalFollower.mq4"
  | "CandlePusher.mqh"
  | "CandlePusher.mq5"
  | "CandlePusher.mq4"
  | "signal_delivery.py";

export const paths = {
  telegramWebhook: () => "/webhooks/telegram",
  mcp: () => "/mcp",
  home: () => "/",
  plans: () => "/#plans",
  record: (filter: Values = {}) => `/record${query(filter)}`,
  recordSlot: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/record/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${query(filter)}`,
  recordFile: (symbol: string, timeframe: string, format: "csv" | "ndjson", filter: Values = {}) =>
    `/record/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}/signals.${format}${query(filter)}`,
  model: (id: number) => `/models/${id}`,
  sharedRecord: (token: string) => `/r/${encodeURIComponent(token)}`,
  sharedRecordBadge: (token: string) => `/r/${encodeURIComponent(token)}/badge.svg`,
  verify: () => "/verify",
  verifySignal: (entries: { commitment: number | null; reveal: number; outcome: number }) =>
    `/verify?entries=${entries.commitment ?? ""},${entries.reveal},${entries.outcome}`,
  verifier: () => "/verify/verify.mjs",
  status: () => "/status",
  statusFeed: () => "/status/feed.json",
  statusBadge: () => "/status/badge.svg",
  docs: (page?: DocsPage, section?: string) =>
    `/docs${page ? `/${page}` : ""}${section ? `#${section}` : ""}`,
  docsMarkdown: (page?: DocsPage) => `/docs/${page ?? "index"}.md`,
  docsSearch: (filter: Values = {}) => `/docs/search${query(filter)}`,
  changelog: () => "/changelog",
  security: () => "/security",
  eaKitFile: (file: EaKitFile) => `/ea-kit/${file}`,
  terms: () => "/terms",
  privacy: () => "/privacy",
  imprint: () => "/imprint",
  risk: () => "/risk",
  openapi: () => "/openapi.json",
  login: (next?: string, said: { error?: string; notice?: string } = {}) =>
    `/login${query({ next, ...said })}`,
  requestLink: () => "/login/request-link",
  linkSent: (next?: string) => `/login/sent${query({ next })}`,
  confirmLink: (token: string, next?: string) => `/login/confirm${query({ token, next })}`,
  accountLink: (token: string) => `/login/account${query({ token })}`,
  confirmAccountLink: () => "/login/account/confirm",
  accountDone: (what: string) => `/login/account/done${query({ what })}`,
  declineMails: (token: string) => `/login/mails${query({ token })}`,
  mailsDeclined: () => "/login/mails?done=true",
  declineMailsNow: (token?: string) => `/login/mails/decline${query({ token })}`,
  signInByLink: () => "/login/by-link",
  signInByKey: () => "/login/by-key",
  tryDemo: () => "/login/try",
  chooseSubscription: (next?: string) => `/login/subscriptions${query({ next })}`,
  pickSubscription: () => "/login/pick",
  acceptTexts: (next?: string) => `/login/texts${query({ next })}`,
  acceptTextsForm: () => "/login/texts/accept",
  signOut: () => "/login/sign-out",
  portal: () => "/portal",
  portalSignals: (filter: Values = {}) => `/portal/signals${query(filter)}`,
  portalSignalHistory: (filter: Values = {}) => `/portal/signals/history${query(filter)}`,
  portalSlot: (symbol: string, timeframe: string, shown: Values = {}) =>
    `/portal/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${query(shown)}`,
  portalResults: (filter: Values = {}) => `/portal/executions${query(filter)}`,
  portalPosition: (executionId: number) => `/portal/executions/${executionId}`,
  portalExecutionList: (filter: Values = {}) => `/portal/executions/list${query(filter)}`,
  portalExecutionExport: (filter: Values = {}) => `/portal/executions/export${query(filter)}`,
  portalRecord: (filter: Values = {}) => `/portal/record${query(filter)}`,
  portalRecordForm: (form: "share" | "withdraw") => `/portal/record/${form}`,
  portalSeen: () => "/portal/seen",
  portalKey: () => "/portal/key",
  portalRotateKey: () => "/portal/key/rotate",
  portalNewKey: () => "/portal/key/new",
  portalPayments: () => "/portal/payments",
  portalPaymentExport: (filter: Values = {}) => `/portal/payments/export${query(filter)}`,
  portalSetup: () => "/portal/setup",
  portalDelivery: () => "/portal/delivery",
  portalCreateWebhook: () => "/portal/delivery/webhooks/create",
  portalWebhook: (id: number) => `/portal/delivery/webhooks/${id}`,
  portalWebhookSecret: (id: number) => `/portal/delivery/webhooks/${id}/secret`,
  portalWebhookForm: (
    id: number,
    form: "save" | "rotate" | "pause" | "resume" | "delete" | "test" | "again",
  ) => `/portal/delivery/webhooks/${id}/${form}`,
  portalTelegramForm: (form: "link" | "unlink") => `/portal/delivery/telegram/${form}`,
  portalSettings: (said: { saved?: string; error?: string } = {}) => `/portal/settings${query(said)}`,
  portalChangeAddress: () => "/portal/settings/address",
  portalDeleteAccount: () => "/portal/settings/delete-account",
  portalSaveSettings: () => "/portal/settings/save",
  portalMyData: () => "/portal/settings/my-data",
  portalSignOutEverywhere: () => "/portal/settings/sign-out-everywhere",
  portalClock: () => "/portal/clock",
  portalLive: () => "/portal/live",
} as const;

/** Every address of the administrator's area. */
export const adminPaths = {
  overview: () => "/admin",
  signIn: (
    options: {
      next?: string | undefined;
      reason?: "ended" | "wrong" | "wait" | "role" | "sent" | "link" | undefined;
    } = {},
  ) => `/admin/sign-in${query(options)}`,
  signInForm: () => "/admin/sign-in/enter",
  requestSignInLink: () => "/admin/sign-in/by-mail",
  signInLinkPage: () => "/admin/sign-in/link",
  signInLink: (token: string, options: { tries?: number } = {}) =>
    `/admin/sign-in/link${query({ token, ...options })}`,
  confirmSignInLink: () => "/admin/sign-in/link/confirm",
  signOut: () => "/admin/sign-out",
  search: (filter: Values = {}) => `/admin/search${query(filter)}`,
  searchFound: (filter: Values = {}) => `/admin/search/found${query(filter)}`,
  subscribers: (filter: Values = {}) => `/admin/subscribers${query(filter)}`,
  extendMany: (filter: Values = {}) => `/admin/subscribers/extend${query(filter)}`,
  extendManyForm: () => "/admin/subscribers/extend/apply",
  stopMany: (filter: Values = {}) => `/admin/subscribers/stop${query(filter)}`,
  stopManyForm: () => "/admin/subscribers/stop/apply",
  newSubscriber: () => "/admin/subscribers/new",
  createSubscriber: () => "/admin/subscribers/create",
  subscriber: (id: number, filter: Values = {}) => `/admin/subscribers/${id}${query(filter)}`,
  subscriberKey: (id: number) => `/admin/subscribers/${id}/key`,
  subscriberForm: (
    id: number,
    form:
      | "revoke"
      | "suspend"
      | "reinstate"
      | "replace"
      | "extend"
      | "grant"
      | "contact"
      | "issue"
      | "key-mail"
      | "view",
  ) => `/admin/subscribers/${id}/${form}`,
  endView: (id: number) => `/admin/subscribers/${id}/view/end`,
  signals: (filter: Values = {}) => `/admin/signals${query(filter)}`,
  pauseSignals: () => "/admin/signals/pause",
  endPause: (id: number) => `/admin/signals/pause/${id}/end`,
  slot: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/admin/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${query(filter)}`,
  models: (filter: Values = {}) => `/admin/models${query(filter)}`,
  model: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/admin/models/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${query(filter)}`,
  payments: (filter: Values = {}) => `/admin/payments${query(filter)}`,
  paymentWeeks: () => "/admin/payments/weeks",
  platforms: () => "/admin/payments/platforms",
  testPlatform: (adapter: string) => `/admin/payments/platforms/${encodeURIComponent(adapter)}/test`,
  paymentTests: () => "/admin/payments/platforms/tests",
  reviewSharedAddresses: () => "/admin/payments/shared-addresses",
  credits: (filter: Values = {}) => `/admin/payments/credits${query(filter)}`,
  declineCredit: (id: number) => `/admin/payments/credits/${id}/decline`,
  delivery: (id: number) => `/admin/payments/${id}`,
  deliveryForm: (id: number, form: "reveal" | "reapply" | "review" | "give-back" | "won") =>
    `/admin/payments/${id}/${form}`,
  mail: (filter: Values = {}) => `/admin/mail${query(filter)}`,
  sendNotice: () => "/admin/mail/notice",
  sendNoticeForm: () => "/admin/mail/notice/send",
  sendTestMail: () => "/admin/mail/test",
  mailMessage: (id: number) => `/admin/mail/${id}`,
  mailMessageHtml: (id: number) => `/admin/mail/${id}/preview.html`,
  mailTemplates: () => "/admin/mail/templates",
  mailTemplateHtml: (kind: string) => `/admin/mail/templates/${encodeURIComponent(kind)}.html`,
  resendMail: (id: number) => `/admin/mail/${id}/resend`,
  outbound: (filter: Values = {}) => `/admin/delivery${query(filter)}`,
  sendDeliveryAgain: () => "/admin/delivery/again",
  settings: () => "/admin/settings",
  saveNoticeDays: () => "/admin/settings/notice-days",
  alerts: () => "/admin/alerts",
  saveAlerts: () => "/admin/alerts/save",
  testAlert: () => "/admin/alerts/test",
  people: () => "/admin/settings/people",
  invitePerson: () => "/admin/settings/people/invite",
  personForm: (id: number, form: "role" | "remove") => `/admin/settings/people/${id}/${form}`,
  recoveryCodes: () => "/admin/recovery-codes",
  plans: () => "/admin/settings/plans",
  newPlan: () => "/admin/settings/plans/new",
  plan: (name: string) => `/admin/settings/plans/${encodeURIComponent(name)}`,
  savePlan: (name: string) => `/admin/settings/plans/${encodeURIComponent(name)}/save`,
  products: (filter: Values = {}) => `/admin/settings/products${query(filter)}`,
  symbols: (filter: Values = {}) => `/admin/settings/symbols${query(filter)}`,
  saveSymbol: () => "/admin/settings/symbols/save",
  saveProduct: () => "/admin/settings/products/save",
  removeProduct: () => "/admin/settings/products/remove",
  brand: () => "/admin/settings/brand",
  saveBrand: () => "/admin/settings/brand/save",
  sendLogo: () => "/admin/settings/brand/logo",
  texts: () => "/admin/settings/texts",
  text: (name: string, filter: Values = {}) =>
    `/admin/settings/texts/${encodeURIComponent(name)}${query(filter)}`,
  saveText: (name: string) => `/admin/settings/texts/${encodeURIComponent(name)}/save`,
  calendars: (filter: Values = {}) => `/admin/settings/calendars${query(filter)}`,
  saveCalendarDay: () => "/admin/settings/calendars/save",
  removeCalendarDay: () => "/admin/settings/calendars/remove",
  thresholds: (filter: Values = {}) => `/admin/settings/thresholds${query(filter)}`,
  saveHealthThresholds: () => "/admin/settings/thresholds/health",
  saveTraining: () => "/admin/settings/thresholds/training",
  saveBaseline: () => "/admin/settings/thresholds/baseline",
  saveSlot: () => "/admin/settings/thresholds/slot",
  accessSettings: () => "/admin/settings/access",
  saveDowntimeCredit: () => "/admin/settings/access/credit",
  savePaymentEvents: () => "/admin/settings/access/events",
  saveUnmappedProduct: () => "/admin/settings/access/unmapped",
  feeds: () => "/admin/feeds",
  createFeedToken: () => "/admin/feeds/tokens/create",
  revokeFeedToken: (id: number) => `/admin/feeds/tokens/${id}/revoke`,
  operations: () => "/admin/operations",
  audit: (filter: Values = {}) => `/admin/operations/audit${query(filter)}`,
  announceMaintenance: () => "/admin/operations/announce",
  withdrawMaintenance: (id: number) => `/admin/operations/maintenance/${id}/withdraw`,
  export: (what: string, filter: Values = {}) =>
    `/admin/operations/export/${encodeURIComponent(what)}${query(filter)}`,
} as const;

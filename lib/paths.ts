type Values = Record<string, string | number | undefined>;

/** A query string of the defined values; empty if there are none. */
export const toQuerySuffix = (values: Values): string => {
  const entries = Object.entries(values).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

/** The address to which a page's form is posted: the handler `act` below the page; `intent` selects the action. */
const form = (page: string, intent: string) => `${page}/act?intent=${intent}`;

/** Pages of the documentation that code links to: files of docs/site. */
export type DocsPage =
  | "ea-kit"
  | "errors"
  | "glossary"
  | "metatrader"
  | "operations"
  | "own-model"
  | "reference"
  | "telegram"
  | "try-out"
  | "webhooks-out";

/** Files of the kit for trading clients. */
export type EaKitFile =
  | "SignalDelivery.mqh"
  | "SignalFollower.mq5"
  | "SignalFollower.mq4"
  | "SignalTrader.mqh"
  | "SignalTrader.mq5"
  | "SignalTrader.mq4"
  | "SignalTester.mqh"
  | "CandlePusher.mqh"
  | "CandlePusher.mq5"
  | "CandlePusher.mq4"
  | "signal_delivery.py";

/** Addresses of the site outside the administrator's area, as functions, so that a misspelt link is a type error. */
export const paths = {
  telegramWebhook: () => "/webhooks/telegram",
  mcp: () => "/mcp",
  home: () => "/",
  /** The built-in logo as a PNG. */
  mark: () => "/apple-icon.png",
  plans: () => "/#plans",
  record: (filter: Values = {}) => `/record${toQuerySuffix(filter)}`,
  recordSlot: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/record/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${toQuerySuffix(filter)}`,
  recordFile: (symbol: string, timeframe: string, format: "csv" | "ndjson", filter: Values = {}) =>
    `/record/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}/signals.${format}${toQuerySuffix(filter)}`,
  lateFile: (symbol: string, timeframe: string, format: "csv" | "ndjson", filter: Values = {}) =>
    `/record/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}/entered-later.${format}${toQuerySuffix(filter)}`,
  testerFile: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/record/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}/tester.csv${toQuerySuffix(filter)}`,
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
  docsMarkdown: (name: string) => `/docs/${name}.md`,
  docsSearch: (filter: Values = {}) => `/docs/search${toQuerySuffix(filter)}`,
  changelog: () => "/changelog",
  security: () => "/security",
  eaKitFile: (file: EaKitFile) => `/ea-kit/${file}`,
  terms: () => "/terms",
  privacy: () => "/privacy",
  imprint: () => "/imprint",
  risk: () => "/risk",
  openapi: () => "/openapi.json",
  login: (next?: string, said: { error?: string; notice?: string } = {}) =>
    `/login${toQuerySuffix({ next, ...said })}`,
  requestLink: () => "/login/request-link",
  linkSent: (next?: string) => `/login/sent${toQuerySuffix({ next })}`,
  confirmLink: (token: string, next?: string) => `/login/confirm${toQuerySuffix({ token, next })}`,
  accountLink: (token: string) => `/login/account${toQuerySuffix({ token })}`,
  confirmAccountLink: () => "/login/account/confirm",
  accountDone: (what: string) => `/login/account/done${toQuerySuffix({ what })}`,
  unsubscribe: (token: string) => `/login/mails${toQuerySuffix({ token })}`,
  unsubscribed: () => "/login/mails?done=true",
  unsubscribeNow: (token?: string) => `/login/mails/decline${toQuerySuffix({ token })}`,
  signInByLink: () => "/login/by-link",
  signInByKey: () => "/login/by-key",
  tryDemo: () => "/login/try",
  tryOut: (said: { token?: string; said?: string } = {}) => `/login/try-out${toQuerySuffix(said)}`,
  requestTryOut: () => "/login/try-out/request",
  confirmTryOut: () => "/login/try-out/confirm",
  chooseSubscription: (next?: string, said?: "mailed") =>
    `/login/subscriptions${toQuerySuffix({ next, said })}`,
  chooseSubscriptionForm: (intent: "delete-account") => form("/login/subscriptions", intent),
  subscriptionData: (id: number) => `/login/subscriptions/${id}/my-data`,
  subscriptionPayments: (id: number) => `/login/subscriptions/${id}/payments`,
  pickSubscription: () => "/login/pick",
  acceptTexts: (next?: string) => `/login/texts${toQuerySuffix({ next })}`,
  acceptTextsForm: () => "/login/texts/accept",
  signOut: () => "/login/sign-out",
  portal: () => "/portal",
  portalForm: (intent: "clock" | "seen") => form("/portal", intent),
  portalSignals: (filter: Values = {}) => `/portal/signals${toQuerySuffix(filter)}`,
  portalSignalsForm: (intent: "pause" | "resume") => form("/portal/signals", intent),
  portalSignalHistory: (filter: Values = {}) => `/portal/signals/history${toQuerySuffix(filter)}`,
  portalSlot: (symbol: string, timeframe: string, shown: Values = {}) =>
    `/portal/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${toQuerySuffix(shown)}`,
  portalTesterFile: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/portal/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}/tester.csv${toQuerySuffix(filter)}`,
  portalResults: (filter: Values = {}) => `/portal/executions${toQuerySuffix(filter)}`,
  portalPosition: (executionId: number) => `/portal/executions/${executionId}`,
  portalExecutionList: (filter: Values = {}) => `/portal/executions/list${toQuerySuffix(filter)}`,
  portalExecutionExport: (filter: Values = {}) => `/portal/executions/export${toQuerySuffix(filter)}`,
  portalRecord: (filter: Values = {}) => `/portal/record${toQuerySuffix(filter)}`,
  portalRecordForm: (intent: "share" | "withdraw") => form("/portal/record", intent),
  portalKey: () => "/portal/key",
  portalKeyForm: (intent: "rotate") => form("/portal/key", intent),
  portalNewKey: () => "/portal/key/new",
  portalPayments: () => "/portal/payments",
  portalPaymentExport: (filter: Values = {}) => `/portal/payments/export${toQuerySuffix(filter)}`,
  portalSetup: () => "/portal/setup",
  portalDelivery: () => "/portal/delivery",
  portalDeliveryForm: (intent: "link-telegram" | "unlink-telegram" | "create-webhook") =>
    form("/portal/delivery", intent),
  portalWebhook: (id: number) => `/portal/delivery/webhooks/${id}`,
  portalWebhookSecret: (id: number) => `/portal/delivery/webhooks/${id}/secret`,
  portalWebhookForm: (
    id: number,
    intent: "save" | "rotate" | "pause" | "resume" | "delete" | "test" | "again",
  ) => form(`/portal/delivery/webhooks/${id}`, intent),
  portalChannelForm: (channel: string, intent: "save" | "test" | "remove") =>
    form(`/portal/delivery/channels/${channel}`, intent),
  portalSettings: (said: { saved?: string; error?: string } = {}) => `/portal/settings${toQuerySuffix(said)}`,
  portalSettingsForm: (
    intent: "save" | "address" | "cancel-address" | "delete-account" | "sign-out-everywhere",
  ) => form("/portal/settings", intent),
  portalMyData: () => "/portal/settings/my-data",
  portalLive: () => "/portal/live",
} as const;

/** Addresses of the administrator's pages, forms and files. */
export const adminPaths = {
  overview: (options: { reason?: "role" } = {}) => `/admin${toQuerySuffix(options)}`,
  signIn: (
    options: {
      next?: string | undefined;
      reason?: "ended" | "wrong" | "wait" | "sent" | "link" | "oidc" | "oidc-person" | undefined;
    } = {},
  ) => `/admin/sign-in${toQuerySuffix(options)}`,
  signInForm: () => "/admin/sign-in/enter",
  requestSignInLink: () => "/admin/sign-in/by-mail",
  signInByOidc: () => "/admin/sign-in/oidc",
  signInLinkPage: () => "/admin/sign-in/link",
  signInLink: (token: string, options: { tries?: number; locked?: "yes" | undefined } = {}) =>
    `/admin/sign-in/link${toQuerySuffix({ token, ...options })}`,
  confirmSignInLink: () => "/admin/sign-in/link/confirm",
  signOut: () => "/admin/sign-out",
  search: (filter: Values = {}) => `/admin/search${toQuerySuffix(filter)}`,
  searchFound: (filter: Values = {}) => `/admin/search/found${toQuerySuffix(filter)}`,
  subscribers: (filter: Values = {}) => `/admin/subscribers${toQuerySuffix(filter)}`,
  extendMany: (filter: Values = {}) => `/admin/subscribers/extend${toQuerySuffix(filter)}`,
  stopMany: (filter: Values = {}) => `/admin/subscribers/stop${toQuerySuffix(filter)}`,
  subscribersForm: (intent: "create" | "extend-many" | "stop-many") => form("/admin/subscribers", intent),
  newSubscriber: () => "/admin/subscribers/new",
  subscriber: (id: number, filter: Values = {}) => `/admin/subscribers/${id}${toQuerySuffix(filter)}`,
  subscriberKey: (id: number) => `/admin/subscribers/${id}/key`,
  subscriberForm: (
    id: number,
    intent:
      | "revoke"
      | "suspend"
      | "reinstate"
      | "replace"
      | "stop-try-out"
      | "make-full"
      | "extend"
      | "grant"
      | "issue"
      | "contact"
      | "key-mail"
      | "delete-account"
      | "view"
      | "end-view",
  ) => form(`/admin/subscribers/${id}`, intent),
  signals: (filter: Values = {}) => `/admin/signals${toQuerySuffix(filter)}`,
  signalsForm: (intent: "pause" | "end-pause") => form("/admin/signals", intent),
  slot: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/admin/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${toQuerySuffix(filter)}`,
  models: (filter: Values = {}) => `/admin/models${toQuerySuffix(filter)}`,
  modelsForm: (intent: "beside" | "create-token" | "promote" | "retire" | "revoke-token") =>
    form("/admin/models", intent),
  model: (symbol: string, timeframe: string, filter: Values = {}) =>
    `/admin/models/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}${toQuerySuffix(filter)}`,
  upload: (filter: Values = {}) => `/admin/models/upload${toQuerySuffix(filter)}`,
  uploadForm: (intent: "upload") => form("/admin/models/upload", intent),
  payments: (filter: Values = {}) => `/admin/payments${toQuerySuffix(filter)}`,
  paymentWeeks: () => "/admin/payments/weeks",
  platforms: () => "/admin/payments/platforms",
  testPlatform: (adapter: string) => `/admin/payments/platforms/${encodeURIComponent(adapter)}/test`,
  reviewSharedAddresses: () => "/admin/payments/shared-addresses",
  credits: (filter: Values = {}) => `/admin/payments/credits${toQuerySuffix(filter)}`,
  declineCredits: () => "/admin/payments/credits/decline",
  declineCredit: (id: number) => `/admin/payments/credits/${id}/decline`,
  delivery: (id: number) => `/admin/payments/${id}`,
  deliveryForm: (id: number, form: "reveal" | "reapply" | "review" | "give-back" | "won") =>
    `/admin/payments/${id}/${form}`,
  mail: (filter: Values = {}) => `/admin/mail${toQuerySuffix(filter)}`,
  sendNotice: () => "/admin/mail/notice",
  mailForm: (intent: "test" | "notice") => form("/admin/mail", intent),
  mailMessage: (id: number) => `/admin/mail/${id}`,
  mailMessageHtml: (id: number) => `/admin/mail/${id}/preview.html`,
  mailTemplates: () => "/admin/mail/templates",
  mailTemplateHtml: (kind: string) => `/admin/mail/templates/${encodeURIComponent(kind)}.html`,
  mailMessageForm: (id: number, intent: "resend") => form(`/admin/mail/${id}`, intent),
  outbound: (filter: Values = {}) => `/admin/delivery${toQuerySuffix(filter)}`,
  outboundForm: (intent: "again") => form("/admin/delivery", intent),
  secretForm: (name: string, intent: "store" | "end-former" | "remove" | "try") =>
    form(`/admin/secrets/${encodeURIComponent(name)}`, intent),
  settings: () => "/admin/settings",
  settingsPage: (page: "access" | "brand" | "service" | "thresholds") => `/admin/settings/${page}`,
  saveSetting: (address: string) => `/admin/settings/${address}`,
  alerts: () => "/admin/alerts",
  alertsForm: (intent: "save" | "test") => form("/admin/alerts", intent),
  people: () => "/admin/settings/people",
  invitePerson: () => "/admin/settings/people/invite",
  personForm: (id: number, form: "role" | "remove" | "invite-again" | "renew-factor") =>
    `/admin/settings/people/${id}/${form}`,
  newRecoveryCodes: () => "/admin/settings/people/new-codes",
  recoveryCodes: () => "/admin/recovery-codes",
  plans: () => "/admin/settings/plans",
  newPlan: () => "/admin/settings/plans/new",
  plan: (name: string) => `/admin/settings/plans/${encodeURIComponent(name)}`,
  savePlan: (name: string) => `/admin/settings/plans/${encodeURIComponent(name)}/save`,
  products: (filter: Values = {}) => `/admin/settings/products${toQuerySuffix(filter)}`,
  symbols: (filter: Values = {}) => `/admin/settings/symbols${toQuerySuffix(filter)}`,
  saveSymbol: () => "/admin/settings/symbols/save",
  saveProduct: () => "/admin/settings/products/save",
  removeProduct: () => "/admin/settings/products/remove",
  sendLogo: () => "/admin/settings/brand/logo",
  texts: () => "/admin/settings/texts",
  text: (name: string, filter: Values = {}) =>
    `/admin/settings/texts/${encodeURIComponent(name)}${toQuerySuffix(filter)}`,
  saveText: (name: string) => `/admin/settings/texts/${encodeURIComponent(name)}/save`,
  calendars: (filter: Values = {}) => `/admin/settings/calendars${toQuerySuffix(filter)}`,
  saveCalendarDay: () => "/admin/settings/calendars/save",
  removeCalendarDay: () => "/admin/settings/calendars/remove",
  calendarsForm: (intent: "remove-own" | "save-own") => form("/admin/settings/calendars", intent),
  thresholds: (filter: Values = {}) => `/admin/settings/thresholds${toQuerySuffix(filter)}`,
  saveSlot: () => "/admin/settings/thresholds/slot",
  feeds: () => "/admin/feeds",
  feedsForm: (intent: "create-token" | "revoke-token" | "candles") => form("/admin/feeds", intent),
  statusPage: () => "/admin/status",
  statusPageForm: (intent: "post" | "update" | "announce" | "withdraw") => form("/admin/status", intent),
  transfer: () => "/admin/settings/transfer",
  transferForm: (intent: "preview" | "import") => form("/admin/settings/transfer", intent),
  settingsFile: () => "/admin/settings/transfer/settings.json",
  setup: () => "/admin/setup",
  setupForm: (intent: "hide" | "show") => form("/admin/setup", intent),
  operations: () => "/admin/operations",
  backup: () => "/admin/operations#backup",
  audit: (filter: Values = {}) => `/admin/operations/audit${toQuerySuffix(filter)}`,
  export: (what: string, filter: Values = {}) =>
    `/admin/operations/export/${encodeURIComponent(what)}${toQuerySuffix(filter)}`,
} as const;

import type { SetupProgress } from "@/db/queries/setup-progress";
import { TEXT_TITLES } from "@/lib/admin/settings/texts/templates";
import { adminPaths } from "@/lib/paths";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import { SITE_TEXTS } from "@/lib/vocabulary";

/** A setup step with its page. */
export interface SetupStep {
  id: string;
  title: string;
  text: string;
  href: string;
  isDone: boolean;
}

/** The facts that decide whether each step is done. */
export interface InstallationFacts extends Omit<SetupProgress, "platforms" | "texts"> {
  texts: readonly string[];
  platforms: readonly string[];
  /** Address of the service in mails and pages. */
  baseUrl: string;
  /** The mail transport in use; `outbox` sends nothing. */
  transport: string;
  /** The operator's name for the service; null: not set. */
  brandName: string | null;
  plans: readonly {
    isShown: boolean;
    priceText: string | null;
    shopUrl: string | null;
    telegram: boolean;
  }[];
  /** Whether a Telegram bot is configured. */
  hasBot: boolean;
  /** Address of the shop for plans without their own shop. */
  shopUrl: string | null;
  /** Payment platforms with a secret. */
  configuredPlatforms: readonly string[];
  slots: readonly { active: boolean; lastSignalTs: Date | null }[];
  guessedSymbols: readonly string[];
  /** Symbols with slots whose round-trip cost is 0, the default of a new symbol. */
  costlessSymbols: readonly string[];
  /** null: no backups are configured. */
  backup: { hours: number | null; isLate: boolean } | null;
}

/** Whether other machines can use an address: it does not name the machine itself. */
const isReachable = (address: string): boolean =>
  !/^(?:localhost|.*\.localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(new URL(address).hostname);

/** The steps from a fresh installation to one that sells. The data decides which are done. Pure. */
export function setupSteps(now: InstallationFacts): SetupStep[] {
  const shown = now.plans.filter(({ isShown }) => isShown);
  const sellsTelegram = shown.some(({ telegram }) => telegram);
  const { slots, guessedSymbols, costlessSymbols } = now;
  const unwritten = SITE_TEXTS.filter((name) => !now.texts.includes(name));
  return [
    {
      id: "address",
      title: "Set the public address",
      text: `Set BASE_URL, such as https://signals.example.com, and restart. Until then links in mails and the webhook's address begin with ${now.baseUrl}.`,
      href: adminPaths.operations(),
      isDone: isReachable(now.baseUrl),
    },
    {
      id: "mail",
      title: "Send mail",
      text: "Set a transport and send a test mail. Keys, sign-in links and alerts depend on it.",
      href: adminPaths.mail(),
      isDone: now.transport !== "outbox" && now.mailLeftBy === now.transport,
    },
    {
      id: "owner",
      title: "Sign in as a person",
      text: "Invite yourself as an owner, then sign in by mail with an authenticator. The secret stays for emergencies.",
      href: adminPaths.people(),
      isDone: now.hasOwner,
    },
    {
      id: "brand",
      title: "Name the service",
      text: "Name, logo, colours, support address and sender.",
      href: adminPaths.settingsPage("brand"),
      isDone: now.brandName !== null,
    },
    {
      id: "texts",
      title: "Write the legal texts",
      text: `Still templates, and marked so on the site: ${unwritten.map((name) => TEXT_TITLES[name]).join(", ")}. To use a template as it is, open it and store it; one with a marked sentence needs your own words.`,
      href: adminPaths.texts(),
      isDone: unwritten.length === 0,
    },
    {
      id: "plans",
      title: "Set plans and prices",
      text: "Each plan on the site needs a price and a shop.",
      href: adminPaths.plans(),
      isDone:
        shown.length > 0 &&
        shown.every(({ priceText, shopUrl }) => priceText !== null && (shopUrl ?? now.shopUrl) !== null),
    },
    {
      id: "telegram",
      title: sellsTelegram ? "Connect Telegram" : "Telegram is in no plan on the site",
      text: sellsTelegram
        ? "Plans on the site include signals in Telegram and Discord. Telegram needs the token of your bot. If you switch these signals off in a plan, Discord is off too."
        : "No bot is needed until a plan on the site includes signals in Telegram and Discord.",
      href: adminPaths.outbound(),
      isDone: now.hasBot || !sellsTelegram,
    },
    {
      id: "platform",
      title: "Connect a payment platform",
      text: "Enter its secret and send a test. Then map its products under Settings, Products.",
      href: adminPaths.platforms(),
      isDone: now.configuredPlatforms.some((name) => now.platforms.includes(name)),
    },
    {
      id: "symbols",
      title: "Check symbols and calendars",
      text: symbolsToCheck(now) || "Trading hours, decimals, costs and holidays, once the first slot exists.",
      href: adminPaths.symbols(),
      isDone: slots.length > 0 && guessedSymbols.length === 0 && costlessSymbols.length === 0,
    },
    {
      id: "signals",
      title: "Produce signals",
      text: "Connect a feed of candles, or upload candles, or send signals of your own model. The first signal follows the next closed candle, or comes at once if the history is up to date.",
      href: adminPaths.feeds(),
      isDone: slots.some(({ active, lastSignalTs }) => active && lastSignalTs !== null),
    },
    {
      id: "alerts",
      title: "Get alerts",
      text: `Choose what reaches you, how, and your quiet hours.${now.hasOwner ? "" : " Sign in as a person first."}`,
      href: adminPaths.alerts(),
      isDone: now.hasAlerts,
    },
    {
      id: "backup",
      title: "Back up",
      text: "Set BACKUP_PASSPHRASE and restart. The worker then takes a backup and tests it.",
      href: adminPaths.backup(),
      isDone: now.backup !== null && now.backup.hours !== null && !now.backup.isLate,
    },
  ];
}

function symbolsToCheck({ guessedSymbols, costlessSymbols }: InstallationFacts): string {
  const named = (symbols: readonly string[]) =>
    `${symbols.slice(0, 4).join(", ")}${symbols.length > 4 ? ` and ${symbols.length - 4} more` : ""}`;
  return [
    guessedSymbols.length > 0 && `Trading hours are guessed for ${named(guessedSymbols)}.`,
    costlessSymbols.length > 0 &&
      `${countWithNoun(costlessSymbols.length, "symbol")} with the default round-trip cost of 0: ${named(costlessSymbols)}.`,
  ]
    .filter((text) => text !== false)
    .join(" ");
}

import { paths } from "@/lib/paths";

/** The documentation in the order in which it is read. */
export const GROUPS = [
  {
    title: "Start",
    entries: [
      {
        href: paths.docs(),
        label: "Quick start",
        text: "From a key to a first reported position with curl, PowerShell, Python, Node or MetaTrader 5.",
        exact: true,
      },
      {
        href: paths.docs("ea-kit"),
        label: "EA kit",
        text: "Files to read, to change and to build on: an EA, its library and a Python client.",
      },
      {
        href: paths.docs("metatrader"),
        label: "MetaTrader",
        text: "What is special about MetaTrader as a client, and what to do when something does not work.",
      },
      {
        href: paths.docs("glossary"),
        label: "Glossary",
        text: "The words of the service: slot, signal, R, baseline, ECE, regime.",
      },
    ],
  },
  {
    title: "Interface",
    entries: [
      { href: paths.docs("authentication"), label: "Authentication", text: "One header carries one key." },
      {
        href: paths.docs("signals"),
        label: "Signals",
        text: "What a signal says, when it is made and when it is too old.",
      },
      {
        href: paths.docs("live"),
        label: "Waiting and streaming",
        text: "A signal within about a second: long poll and server-sent events.",
      },
      {
        href: paths.docs("webhooks-out"),
        label: "Webhooks",
        text: "Signals and results posted to your own server, signed.",
      },
      { href: paths.docs("telegram"), label: "Telegram", text: "Signals as messages of a bot." },
      {
        href: paths.docs("agents"),
        label: "Agents",
        text: "Signals, record and your executions as tools of the Model Context Protocol, read only.",
      },
      {
        href: paths.docs("executions"),
        label: "Executions",
        text: "Reporting positions that were opened and closed.",
      },
      { href: paths.docs("limits"), label: "Limits", text: "Requests a minute, and what to do at 429." },
      { href: paths.docs("errors"), label: "Errors", text: "One body for every error, and its words." },
      { href: paths.docs("reference"), label: "Reference", text: "Every path, field and answer." },
    ],
  },
  {
    title: "Operators",
    entries: [
      {
        href: paths.docs("webhooks"),
        label: "Payment webhook",
        text: "For operators: how a payment platform makes and ends keys.",
      },
      {
        href: paths.docs("operations"),
        label: "Running the service",
        text: "For operators: from the first installation to the worst day, with commands to copy.",
      },
    ],
  },
];

/** All of its pages, one after the other. */
export const DOCS_PAGES = GROUPS.flatMap((group) => group.entries);

/** The pages before and after this one. */
export function neighbours(href: string) {
  const at = DOCS_PAGES.findIndex((page) => page.href === href);
  return { previous: at > 0 ? DOCS_PAGES[at - 1] : undefined, next: at < 0 ? undefined : DOCS_PAGES[at + 1] };
}

import { Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { LinkButton } from "@/app/_components/button";
import { describeRecordCosts } from "@/app/_components/describe-costs";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { formatDay } from "@/app/_components/times";
import { HypotheticalMark } from "@/app/(site)/_record/hypothetical";
import { formatPerWeek } from "@/app/(site)/_record/trading-figures";
import { type Plan, plans } from "@/lib/access/plans";
import { paths } from "@/lib/paths";
import type { PublicRecord } from "@/lib/wire/contracts/record";
import { TryDemo } from "./hero";
import { figuresOfPlan, type PlanFigures } from "./plan-figures";
import { LandingSection } from "./section";

/** Example prices by plan name, shown on the simulated market for plans without a price. */
const EXAMPLE_PRICES: Readonly<Record<string, string>> = {
  telegram: "19 EUR a month",
  basic: "39 EUR a month",
  pro: "99 EUR a month",
};

const listed = (codes: readonly string[] | null, all: string) => codes?.join(", ") ?? all;

/** One card for each plan on offer: its price, what it includes, and how to get it. */
export function Plans({
  shopUrl,
  simulated,
  listsTelegram,
  record,
  contact,
}: {
  shopUrl: string | null;
  simulated: boolean;
  /** Whether to list Telegram: a bot is configured. */
  listsTelegram: boolean;
  /** The record of all slots, from which each card shows the plan's own; null: not shown. */
  record: PublicRecord | null;
  /** The operator's mail address; null: none is configured. */
  contact: string | null;
}) {
  const offered = plans().filter(({ isShown }) => isShown);
  if (offered.length === 0) return null;
  const hasExamples = simulated && offered.every(({ priceText }) => priceText === null);
  const priceOf = ({ name, priceText }: Plan) =>
    priceText ?? (hasExamples ? EXAMPLE_PRICES[name] : undefined);
  const hasPrices = offered.some((plan) => priceOf(plan) !== undefined);
  return (
    <LandingSection
      anchor="plans"
      wide
      title="Plans"
      lead={
        <>
          Your plan sets which signals you get and how often you can poll.
          {hasExamples && " Example prices. Nothing is sold here."}
          {record !== null && (
            <>
              {" "}
              Each card shows the whole record of the slots that the plan has today,{" "}
              {describeRecordCosts(record.coverage)}.{" "}
              <HypotheticalMark href={`${paths.record()}#hypothetical`} />.
            </>
          )}
        </>
      }
    >
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {offered.map((plan) => (
          <PlanCard
            key={plan.name}
            plan={plan}
            price={hasPrices ? (priceOf(plan) ?? null) : undefined}
            isExample={hasExamples}
            listsTelegram={listsTelegram}
            figures={record && figuresOfPlan(record, plan)}
          >
            <GetPlan plan={plan} shopUrl={shopUrl} simulated={simulated} />
          </PlanCard>
        ))}
      </ul>
      {shopUrl && (
        <p className="mt-6 text-sm text-muted">Sold on {new URL(shopUrl).host}. The key arrives by e-mail.</p>
      )}
      {!simulated && shopUrl === null && offered.some((plan) => plan.shopUrl === null) && (
        <p className="mt-6 text-sm text-muted">
          To buy a plan,{" "}
          {contact === null ? (
            "contact the operator"
          ) : (
            <>
              write to{" "}
              <a href={`mailto:${contact}`} className="link">
                {contact}
              </a>
            </>
          )}
          . The key arrives by e-mail.
        </p>
      )}
    </LandingSection>
  );
}

/** `price`: null if other plans have one and this one does not, undefined if no plan has one. */
function PlanCard({
  plan,
  price,
  isExample,
  listsTelegram,
  figures,
  children,
}: {
  plan: Plan;
  price: string | null | undefined;
  isExample: boolean;
  listsTelegram: boolean;
  figures: PlanFigures | null;
  children: ReactNode;
}) {
  const channels = listsTelegram ? "Telegram and Discord messages" : "Discord messages";
  return (
    <li className="flex min-w-0 flex-col rounded-lg border bg-raised p-6">
      <h3 dir="auto" className="text-base break-words">
        {plan.title}
      </h3>
      {price !== undefined && (
        <p dir="auto" className="mt-2 text-2xl font-semibold tracking-tight text-balance break-words">
          {price ?? "Price on request"}
        </p>
      )}
      {isExample && <p className="text-xs text-warn">Example price</p>}
      <p dir="auto" className="mt-2 text-sm break-words text-muted">
        {plan.forWhom}
      </p>
      {figures && <OwnTrades figures={figures} />}
      <ul className="mt-5 mb-6 grow space-y-2 text-sm">
        <Included>Symbols: {listed(plan.symbols, "all")}</Included>
        <Included>Timeframes: {listed(plan.timeframes, "all")}</Included>
        <Included>
          {plan.tradingClient ? "EA kit for MetaTrader 4 and 5, Python client, HTTP" : "Python client, HTTP"}
        </Included>
        {!plan.tradingClient && <Included isIn={false}>Not meant for an EA in MetaTrader</Included>}
        <Included>{formatNumber(plan.rateLimitPerMin)} requests per minute</Included>
        {/* Plans with Telegram include the other channels. */}
        <Included isIn={plan.telegram}>{plan.telegram ? channels : `No ${channels}`}</Included>
        {plan.telegram && !plan.tradingClient && !listsTelegram && (
          <Included isIn={false}>Telegram is not set up here yet</Included>
        )}
        <Included isIn={plan.webhooks}>{plan.webhooks ? "Webhooks" : "No webhooks"}</Included>
      </ul>
      {children}
    </li>
  );
}

/** The trades of a plan's own slots. The total of all slots above them may come from slots outside the plan. */
function OwnTrades({ figures: { n, totalR, perWeek, since, simulated } }: { figures: PlanFigures }) {
  const from = `since ${formatDay(new Date(`${since}T00:00:00Z`))}${simulated ? ", simulated" : ""}`;
  if (n === 0) return <p className="mt-3 text-sm">No trades in its slots {from}</p>;
  return (
    <p className="mt-3 text-sm">
      <MoneyText value={totalR} unit="R" digits={1} mark={false} /> from {countWithNoun(n, "trade")} of its
      slots {from}
      {perWeek !== null && `: ${formatPerWeek(perWeek)} a week`}
    </p>
  );
}

function Included({ isIn = true, children }: { isIn?: boolean; children: ReactNode }) {
  const Mark = isIn ? Check : Minus;
  return (
    <li className="flex gap-2.5">
      <Mark aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${isIn ? "text-up" : "text-faint"}`} />
      <span className={isIn ? "min-w-0 break-words" : "text-faint"}>{children}</span>
    </li>
  );
}

/** A link to the plan in the shop, else to the shop, else the demo key. Renders nothing without any of these. */
function GetPlan({ plan, shopUrl, simulated }: { plan: Plan; shopUrl: string | null; simulated: boolean }) {
  const href = plan.shopUrl ?? shopUrl;
  if (href !== null)
    return (
      <LinkButton href={href} variant="primary">
        <span dir="auto" className="min-w-0 truncate">
          Get {plan.title}
        </span>
      </LinkButton>
    );
  if (simulated) return <TryDemo variant="secondary" size="medium" label="Try the demo" />;
  return null;
}

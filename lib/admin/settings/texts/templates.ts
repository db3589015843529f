import type { SiteTextName } from "@/lib/vocabulary";

/** Titles of the operator's texts, and the templates shown until the operator writes them. */

export const TEXT_TITLES: Record<SiteTextName, string> = {
  terms: "Terms",
  privacy: "Privacy",
  imprint: "Imprint",
  risk: "Risk",
  hypothetical: "Hypothetical performance",
};

/** Begins every sentence that tells the operator what to write. A text that contains it is not stored. */
export const TEMPLATE_MARKER = "Replace this text";

/** Statement about hypothetical results in the sense of CFTC rule 4.41. */
const HYPOTHETICAL = `These results are hypothetical. They were computed by fixed rules from the candles that followed each signal; no order was sent and no money was at risk. They have limitations that a record of real trades does not have.

Because nothing was executed, the results may over- or understate the effect of real markets: lack of liquidity, slippage, wider spreads, a broker that is slow or does not answer. Methods that are tested on past prices also tend to be built with the benefit of hindsight.

We do not claim that any account will earn or lose, or is likely to earn or lose, what is shown here. Trade only with money that you can afford to lose.`;

const TERMS = `## What you get

{{service}} sends trading signals: statistical statements about symbols and timeframes, made by a program. Your plan sets which signals you receive, how often you can poll, and until when.

## What it is not

Signals are not advice, a recommendation or an offer to buy or sell. We do not know your circumstances, have no access to your account and do not trade for you. You decide on every order and are responsible for it.

## Your key

The key is for you alone. Keep it secret, and rotate it in the portal if anyone else may know it. A key that is shared or resold may be suspended.

## Availability

We aim to deliver signals without interruption and publish failures on [the status page]({{site}}/status). We do not guarantee delivery at any given moment.

## Payment and end

Price and period are stated where you buy{{shop}}. Access ends with the paid period unless it is renewed. A refund or chargeback ends it at once.

## Liability

${TEMPLATE_MARKER} with what the law of your country requires.

## Questions

{{contact}}
`;

const PRIVACY = `## Who is responsible

${TEMPLATE_MARKER} with the name and address of the operator of {{service}}. {{contact}}

## What is stored, and why

- Your name and e-mail address, to give you access and write to you about it.
- A fingerprint of your key and its first and last four characters. A new key is stored encrypted until its mail is sent and, if it was created on a page, until that page has shown it.
- Your payments, as the payment platform reports them.
- The positions that your trading client reports, to show you your results.
- When your client requested signals and, for a limited time, its network address.

## Cookies

One keeps you signed in, one remembers whether you chose light or dark. There are no other cookies and no trackers.

## Who else gets data

The payment platform, the service that delivers our mail, and each place that you connect under Delivery: Telegram, Discord and your own server.

## Your rights

Under Settings in the portal you can download everything that is stored about you and delete your account yourself. Questions or corrections? {{contact}}
`;

const IMPRINT = `${TEMPLATE_MARKER} with what the law of your country requires: name, address, register and the person responsible for the content.

{{contact}}
`;

const RISK = `## You can lose money

Trading currencies, metals, shares, energies and crypto with leverage can lose more than you expect, up to everything you put in, and with some brokers more than that.

## What signals say

A signal is a statistical statement about past patterns. It is often wrong, sometimes many times in a row. Past results, real or computed, say little about future ones.

## Between a signal and your order

Your price differs from the signal's price: spread, slippage, delay, a broker that does not answer. Your trading client can fail, and so can this service and the connection between them.

## Before you trade

Trade only with money that you can afford to lose. Try everything on a demo account first. If you are not sure, ask an independent adviser.
`;

export const TEMPLATES: Record<SiteTextName, string> = {
  terms: TERMS,
  privacy: PRIVACY,
  imprint: IMPRINT,
  risk: RISK,
  hypothetical: HYPOTHETICAL,
};

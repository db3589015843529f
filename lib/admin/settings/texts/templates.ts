import type { SiteTextName } from "@/lib/vocabulary";

/** What the operator's texts are called, and what stands there until the operator writes them. */

export const TEXT_TITLES: Record<SiteTextName, string> = {
  terms: "Terms",
  privacy: "Privacy",
  imprint: "Imprint",
  risk: "Risk",
  hypothetical: "Hypothetical performance",
};

/** In the sense of CFTC rule 4.41. */
const HYPOTHETICAL = `These results are hypothetical. They were worked out by fixed rules from the candles that followed each signal; no order was sent and no money was at risk. They have limits that a record of real trades does not have.

Because nothing was executed, the results may make too much or too little of what real markets do: missing liquidity, slippage, wider spreads, a broker that is slow or does not answer. Methods that are tested on past prices also tend to be built with the benefit of hindsight.

We do not claim that any account will earn or lose, or is likely to earn or lose, what is shown here. Trade only with money that you can afford to lose.`;

const TERMS = `## What you get

{{service}} sends trading signals: statistical statements about symbols and timeframes, made by a program. Your plan says which of them you see, how often you may ask, and until when.

## What it is not

Signals are no advice, no recommendation and no offer to buy or sell. Nobody here knows your circumstances, has access to your account, or trades for you. You decide on every order and answer for it.

## Your key

The key is yours alone. Keep it secret, and replace it in the portal when somebody else may know it. A key that is shared or resold may be suspended.

## Availability

We work to deliver signals without a break and publish what failed on [the status page]({{site}}/status). Delivery at a given moment is not promised.

## Payment and end

What you pay, and for how long, is said where you buy{{shop}}. Access ends with the period that was paid unless it is renewed. A refund or a chargeback ends it at once.

## Liability

Replace this part by what the law of your country asks for.

## Questions

{{contact}}
`;

const PRIVACY = `## Who is responsible

Replace this part by the name and address of who runs {{service}}. {{contact}}

## What is stored, and what for

- Your name and e-mail address, to give you access and write to you about it.
- A fingerprint of your key; not the key itself in a form that could be read by others.
- What the payment platform says of your payments.
- The positions that your trading client reports, to show you your results.
- When your client asked for signals, and the network address it asked from for a limited time.

## Cookies

One keeps you signed in, one remembers whether you chose light or dark. There are no others, and no trackers.

## Who else gets data

The payment platform, the mail service that carries our mails, and Telegram when you connect it.

## Your rights

In the portal you can download all that is stored about you. For correction or deletion: {{contact}}
`;

const IMPRINT = `Replace this text by what the law of your country asks for: name, address, register and who answers for the content.

{{contact}}
`;

const RISK = `## You can lose money

Trading currencies, metals, shares, energies and crypto with leverage can lose more than you expect, up to everything you put in, and with some brokers more than that.

## What signals say

A signal is a statistical statement about past patterns. It is wrong often, and sometimes many times in a row. Past results, real or worked out, say little about future ones.

## Between a signal and your order

Your price differs from the one a signal was made with: spread, slippage, delay, a broker that does not answer. Your trading client can fail, and so can this service and the line between them.

## Before you trade

Trade only with money that you can afford to lose. Try everything in a demo account first. Ask somebody independent when you are not sure.
`;

export const TEMPLATES: Record<SiteTextName, string> = {
  terms: TERMS,
  privacy: PRIVACY,
  imprint: IMPRINT,
  risk: RISK,
  hypothetical: HYPOTHETICAL,
};

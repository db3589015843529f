import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { PortalForms } from "@/app/portal/_components/portal-forms";
import { db } from "@/db/client";
import { listChannelDeliveries, listRecipients } from "@/db/queries/channel-recipients";
import { findChat, listSubscriberMessages } from "@/db/queries/telegram-chats";
import { countWaitingDeliveriesByEndpoint, listEndpoints } from "@/db/queries/webhook-endpoints";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf } from "@/lib/market/clock";
import { ADDRESS_CHANNELS } from "@/lib/outbound/channels";
import { plansIncludeChannels } from "@/lib/outbound/channels/address-channel";
import { contactAddress } from "@/lib/outbound/mail/contact";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { paths } from "@/lib/paths";
import { includesFeature } from "@/lib/runtime/plan-features";
import { ChannelCard } from "./_components/channel-card";
import { hidePathFromAdministrator } from "./_components/endpoint-form";
import { TelegramCard } from "./_components/telegram-card";
import { WebhooksCard } from "./_components/webhooks-card";

export const metadata = { title: "Delivery" };

const MESSAGES_SHOWN = 20;

/** Where signals are delivered: to a Telegram chat, to channels such as Discord, and to the subscriber's server. */
export default async function DeliveryPage() {
  const subscriber = await requireSubscriber();
  const { subscriptionId } = subscriber;
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const channels = Object.values(ADDRESS_CHANNELS);
  const [flash, chat, sent, recipients, toChannels, endpoints, waiting] = await Promise.all([
    consumeFlash(db(), subscriber.flashSession),
    findChat(db(), subscriptionId),
    listSubscriberMessages(db(), subscriptionId, MESSAGES_SHOWN),
    listRecipients(db(), subscriptionId),
    Promise.all(
      channels.map(({ name }) => listChannelDeliveries(db(), subscriptionId, name, MESSAGES_SHOWN)),
    ),
    listEndpoints(db(), subscriptionId),
    countWaitingDeliveriesByEndpoint(db(), subscriptionId),
  ]);
  return (
    <>
      <PageHeader
        title="Delivery"
        lead="Where signals are sent: Telegram, Discord, your own server."
        actions={<ClockSwitch clock={clock} back={paths.portalDelivery()} now={now} />}
      />
      <FlashNotice flash={flash} />
      <PortalForms className="min-w-0 space-y-6">
        <TelegramCard
          isOffered={hasTelegramBot()}
          chat={chat}
          sent={sent}
          link={flash?.kind === "telegram-link" ? flash.url : null}
          contact={contactAddress()}
          clock={clock}
          now={now}
        />
        {plansIncludeChannels(subscriber) &&
          channels.map((channel, index) => (
            <ChannelCard
              key={channel.name}
              channel={channel}
              recipient={recipients.find((one) => one.channel === channel.name) ?? null}
              sent={toChannels[index] ?? []}
              form={formState(flash, "portal.channel_save")}
              timeZone={subscriber.preferences.timeZone ?? null}
              clock={clock}
              now={now}
            />
          ))}
        <WebhooksCard
          subscriptionId={subscriber.subscriptionId}
          hasWebhooks={includesFeature(subscriber, "webhooks")}
          endpoints={endpoints.map((endpoint) => hidePathFromAdministrator(subscriber, endpoint))}
          waiting={waiting}
          form={formState(flash, "portal.webhook_create")}
        />
      </PortalForms>
    </>
  );
}
